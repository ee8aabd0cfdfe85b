/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sql_error.c - DuckDB's errors in our words: which code, without the frame around the message, the advice in
 * it as the hint, credentials removed.
 */
#include "base/file.h"
#include "source/db.h"
#include <string.h>

static const struct {
    int type;
    gm_code code;
} codes[] = {
    {DUCKDB_ERROR_OUT_OF_RANGE, GM_EDATA},
    {DUCKDB_ERROR_CONVERSION, GM_EDATA},
    {DUCKDB_ERROR_CATALOG, GM_ESQL},
    {DUCKDB_ERROR_PARSER, GM_ESQL},
    {DUCKDB_ERROR_SYNTAX, GM_ESQL},
    {DUCKDB_ERROR_BINDER, GM_ESQL},
    {DUCKDB_ERROR_INVALID_INPUT, GM_ESQL},
    {DUCKDB_ERROR_IO, GM_EIO},
    {DUCKDB_ERROR_HTTP, GM_EIO},
    {DUCKDB_ERROR_PERMISSION, GM_EIO},
    {DUCKDB_ERROR_MISSING_EXTENSION, GM_ELIBRARY},
    {DUCKDB_ERROR_OUT_OF_MEMORY, GM_ELIMIT},
    {DUCKDB_ERROR_INTERNAL, GM_EINTERNAL},
    {DUCKDB_ERROR_FATAL, GM_EINTERNAL},
};

/* What is in a message tells more than its type. First match wins. */
static const struct {
    const char *part;
    gm_code code;
    const char *hint;
} parts[] = {
    {"No files found that match", GM_ENOENT,
     "check the path; a relative one starts at the working directory"},
    {"No such file", GM_ENOENT, "check the path; a relative one starts at the working directory"},
    {"HTTP 404", GM_ENOENT, "check the address: the server has nothing there"},
    {"HTTP 40", GM_EIO, /* 400, 401, 403 */
     "the server refuses: s3:// needs AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION"},
    {"(HTTP 0 ", GM_EIO, /* refused after the headers */
     "the server refuses to send the file, or breaks off: is it there, and may all read it?"},
    {"Could not resolve hostname", GM_EIO,
     "check the address; a storage service that is not Amazon's is named by AWS_ENDPOINT_URL"},
    {"Could not connect to server", GM_EIO,
     "check the address, and that the server runs and can be reached from here"},
    {"Timeout was reached", GM_EIO, "the server was asked several times, 30 seconds each: try again later"},
    {"No space left on device", GM_EIO, "free some space, or choose another folder"},
    {"Permission denied", GM_EIO, "check the permissions of the file and its folder"},
    {"disabled by configuration", GM_ESQL, "SQL of a pipeline reads only the files that its source names"},
    {"failed to offload", GM_ELIMIT, "raise the memory limit, or set a spill folder with room"},
    {"could not allocate block", GM_ELIMIT, "raise the memory limit, or use fewer threads"},
    {"magic bytes", GM_EFORMAT, "check that the file is whole, or name its format"},
    {"Parquet file", GM_EFORMAT, "check that the file is whole, or name its format"},
    {"Invalid Parquet", GM_EFORMAT, "check that the file is whole, or name its format"},
    {"TProtocolException", GM_EFORMAT, "the Parquet file is damaged: write it again"},
    {"Malformed JSON", GM_EFORMAT, "check that the file is whole, or name its format"},
    {"JSON transform error", GM_EFORMAT, "values change their type after the first ones: write them alike"},
};

const char gm_csv_no_records[] = "cannot be cut into records";

/* Drops "Binder Error: " and the like, and what follows the message proper. */
static char *bare(gm_cx *cx, const char *message)
{
    const char *colon = strstr(message, " Error: "), *line = strchr(message, '\n');
    if (colon && colon - message < 40 && (line == NULL || colon < line)) message = colon + strlen(" Error: ");
    size_t n = strlen(message);
    static const char *const ends[] = {"\nLINE ",
                                       "\nPossible ",
                                       "\n\nLINE",
                                       "\nDid you mean",
                                       "\nCandidate",
                                       "\nStack Trace",
                                       "\nAuthentication Failure"};
    for (int64_t i = 0; i < GM_COUNT(ends); i++) {
        const char *e = strstr(message, ends[i]);
        if (e && (size_t)(e - message) < n) n = (size_t)(e - message);
    }
    while (n > 0 && (message[n - 1] == '\n' || message[n - 1] == ' ' || message[n - 1] == '!')) n--;
    char *s = gm_strndup(cx, gm_scratch(cx), message, n);
    for (size_t i = 0; s && i < n; i++)
        if (s[i] == '\n' || s[i] == '\t') s[i] = ' ';
    return s ? gm_redact(cx, gm_scratch(cx), s) : NULL;
}

/* The line of the message that begins with start. */
static char *line_of(gm_cx *cx, const char *message, const char *start)
{
    const char *p = strstr(message, start);
    return p ? gm_strndup(cx, gm_scratch(cx), p, strcspn(p, "\n")) : NULL;
}

gm_code gm_sql_fail(gm_cx *cx, int type, const char *message)
{
    if (gm_cx_code(cx) != GM_OK) return gm_cx_code(cx); /* told by our own code in the query */
    if (gm_cancelled(cx) || type == DUCKDB_ERROR_INTERRUPT) return gm_fail(cx, GM_ECANCEL, "cancelled");
    if (message == NULL) message = "the database said nothing";
    gm_code code = GM_ESQL;
    const char *hint = NULL;
    for (int64_t i = 0; i < GM_COUNT(codes); i++)
        if (codes[i].type == type) code = codes[i].code;
    for (int64_t i = 0; i < GM_COUNT(parts) && hint == NULL; i++)
        if (strstr(message, parts[i].part)) code = parts[i].code, hint = parts[i].hint;
    char *said = bare(cx, message);
    if (strstr(message, "state machine reached an invalid state")) {
        said = gm_format(cx, gm_scratch(cx), "a CSV file %s", gm_csv_no_records);
        code = GM_EFORMAT;
        hint =
            "its lines may end in several ways (LF, CRLF, CR), or a quote stand in the wrong place: write it "
            "anew, or set quote and escape";
    }
    GM_GOT(cx, said);
    if (hint == NULL) hint = line_of(cx, message, "Did you mean");
    if (hint == NULL) hint = line_of(cx, message, "Candidate bindings");
    if (hint == NULL && code == GM_ELIMIT) hint = "raise the memory limit, or use fewer threads";
    (void)!gm_fail(cx, code, "%s", said);
    return hint ? gm_hint_add(cx, code, "%s", hint) : code;
}
