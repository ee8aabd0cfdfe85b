/* SPDX-License-Identifier: Apache-2.0 */
/*
 * httpfs.c - files behind a URL: DuckDB's extension httpfs, loaded from beside the library when a path asks
 * for it.
 *
 * Keys and region come from the variables that the tools of Amazon's S3 read (AWS_ACCESS_KEY_ID,
 * AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION), which the extension takes by itself; the address of
 * another storage service (AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL) is set here. None of them passes through a
 * statement that could be told.
 */
#include "base/file.h"
#include "source/db.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool gm_path_remote(const char *path)
{
    static const char *const schemes[] = {"s3://", "s3a://",  "s3n://",   "gs://", "gcs://",
                                          "r2://", "http://", "https://", "hf://"};
    for (int64_t i = 0; i < GM_COUNT(schemes); i++)
        if (strncmp(path, schemes[i], strlen(schemes[i])) == 0) return true;
    return false;
}

/* Another service than Amazon's: its buckets are folders of one host, not hosts of their own. */
static gm_code set_endpoint(gm_cx *cx, gm_arena *a, gm_con *con)
{
    static const char *const schemes[] = {"http://", "https://"};
    const char *url = getenv("AWS_ENDPOINT_URL_S3");
    if (url == NULL || *url == 0) url = getenv("AWS_ENDPOINT_URL");
    if (url == NULL || *url == 0) return GM_OK;
    int tls = -1;
    size_t skip = 0;
    for (int i = 0; i < 2; i++)
        if (strncmp(url, schemes[i], strlen(schemes[i])) == 0) tls = i, skip = strlen(schemes[i]);
    size_t n = strlen(url + skip);
    while (n > 0 && url[skip + n - 1] == '/') n--;
    if (tls < 0 || n == 0)
        return gm_hint_add(cx,
                           gm_fail(cx, GM_EUSAGE, "AWS_ENDPOINT_URL is '%s', which is no address of a server",
                                   gm_redact(cx, a, url)),
                           "write it as https://HOST or http://HOST:PORT");
    char *host = gm_strndup(cx, a, url + skip, n);
    GM_GOT(cx, host);
    gm_buf b = gm_buf_in(cx, a);
    gm_buf_str(&b, "SET GLOBAL s3_url_style = 'path'; SET GLOBAL s3_endpoint = ");
    gm_buf_literal(&b, host);
    gm_buf_printf(&b, "; SET GLOBAL s3_use_ssl = %s", tls ? "true" : "false");
    GM_TRY(gm_buf_done(&b));
    return gm_con_run(con, b.p, NULL);
}

static gm_code load(gm_cx *cx, gm_arena *a, gm_db *db)
{
    gm_con *con;
    const char *slash = strrchr(db->duck->path, '/');
    char *path = gm_format(cx, a, "%.*s/httpfs.duckdb_extension", slash ? (int)(slash - db->duck->path) : 1,
                           slash ? db->duck->path : ".");
    GM_GOT(cx, path);
    if (access(path, R_OK) != 0)
        return gm_hint_add(
            cx, gm_fail(cx, GM_ELIBRARY, "reading remote files needs %s, which is not there", path),
            "copy the file first, or put the extension of the same DuckDB version there");
    gm_buf b = gm_buf_in(cx, a);
    gm_buf_str(&b, "LOAD ");
    gm_buf_literal(&b, path);
    GM_TRY(gm_buf_done(&b));
    GM_TRY(gm_con_open(cx, a, db, &con));
    GM_TRY(gm_con_run(con, b.p, NULL));
    return set_endpoint(cx, a, con);
}

gm_code gm_db_httpfs(gm_cx *cx, gm_db *db)
{
    pthread_mutex_lock(&db->lock);
    bool have = db->httpfs;
    pthread_mutex_unlock(&db->lock);
    if (have) return GM_OK;
    gm_arena scratch = {0};
    gm_code code = load(cx, &scratch, db); /* loading twice does no harm */
    gm_arena_end(&scratch);
    pthread_mutex_lock(&db->lock);
    if (code == GM_OK) db->httpfs = true;
    pthread_mutex_unlock(&db->lock);
    return code;
}
