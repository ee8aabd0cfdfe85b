/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv_read.c - plain local CSV files on the pool's threads. A file is cut into pieces by position, so rows
 * fall into the same tiles whatever the number of threads. Whether a piece begins within quotes is carried
 * from piece to piece: each counts its quotes as soon as it is in memory, hands the parity on, and only then
 * looks for its first record.
 *
 * What is not cut or typed beyond doubt, or is an error of any kind, is read by the database after all: its
 * values, its messages. Until then nothing has left here that a restart does not take back.
 */
#include "source/csv/csv_read.h"
#include "base/file.h"
#include "kernel/kernel.h"
#include "par/pool.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

long gm_csv_piece_bytes = 1 << 20;

typedef struct file {
    const char *path;
    int fd;
    struct stat st;
    int64_t first; /* its first piece */
} file;

/* One thread's buffers; they pass from piece to piece. */
typedef struct buffers {
    gm_arena kept;
    gm_csv_piece c;
    int64_t cap; /* bytes of c.p, less the pad */
    gm_csv_lane *lane;
    struct buffers *next;
} buffers;

typedef struct reading {
    gm_cx *cx;
    const gm_csv_scan *scan;
    const gm_csv *csv;
    gm_csv_plan *plan; /* referenced */
    gm_csv_misfit *misfit;
    gm_csv_shape shape;
    int64_t n_files, piece, tail, pieces, bytes;
    file *file;
    pthread_mutex_t lock;
    pthread_cond_t moved;
    buffers *idle;      /* guarded by lock, as all that follows */
    int64_t turn, done; /* the piece whose parity is known; bytes read */
    bool inside;        /* that parity */
    int ends;           /* of all pieces: 1 or 2 bytes, 0: not known */
    bool stop, give_up, broken;
} reading;

/* ---- a piece's bytes ---- */

static gm_code changed(gm_cx *cx, reading *r, const char *path)
{
    gm_arena a = {0};
    char *said = gm_say_path(cx, &a, path);
    pthread_mutex_lock(&r->lock);
    r->broken = true;
    pthread_mutex_unlock(&r->lock);
    gm_code code =
        gm_hint_add(cx, gm_fail(cx, GM_EIO, "%s changed while it was read", said ? said : "a file"),
                    "read it again when it is written to its end");
    gm_arena_end(&a);
    return code;
}

/* Appends the file's bytes from at on: up to n. */
static gm_code more(reading *r, const file *f, buffers *b, int64_t at, int64_t n)
{
    while (n > 0) {
        ssize_t got = pread(f->fd, b->c.p + b->c.n, (size_t)n, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return gm_fail_errno(r->cx, errno, "cannot read", f->path);
        if (got == 0) return changed(r->cx, r, f->path);
        b->c.n += got, at += got, n -= got;
    }
    return GM_OK;
}

static gm_code room(gm_cx *cx, buffers *b, int64_t cap)
{
    if (cap <= b->cap) return GM_OK;
    int64_t words = cap / 64 + 2;
    GM_GOT(cx, b->c.p = gm_regrow(cx, &b->kept, b->c.p, b->c.n, cap + 2 * GM_CSV_PAD, 1));
    GM_GOT(cx, b->c.marks = gm_regrow(cx, &b->kept, b->c.marks, b->cap ? b->cap / 64 + 1 : 0, words, 8));
    GM_GOT(cx, b->c.quotes = gm_regrow(cx, &b->kept, b->c.quotes, b->cap ? b->cap / 64 + 1 : 0, words, 8));
    b->cap = cap;
    return GM_OK;
}

/* The piece from..to of the file behind the byte before it, and some of what follows. */
static gm_code load(reading *r, const file *f, buffers *b, int64_t from, int64_t to)
{
    int64_t stop = to + r->tail < f->st.st_size ? to + r->tail : f->st.st_size;
    GM_TRY(room(r->cx, b, GM_CSV_PAD + r->piece + r->tail));
    b->c.others = 0, b->c.ends = 0;
    memset(b->c.p, ' ', GM_CSV_PAD);
    b->c.p[GM_CSV_PAD - 1] = '\n';
    b->c.n = GM_CSV_PAD - (from > 0);
    GM_TRY(more(r, f, b, from - (from > 0), stop - from + (from > 0)));
    b->c.last = stop == f->st.st_size;
    gm_csv_mark(&b->c, &r->shape, 0);
    return GM_OK;
}

/* The record at c.at goes on behind the bytes that are here. */
static gm_code lengthen(reading *r, const file *f, buffers *b, int64_t from)
{
    int64_t at = from + b->c.n - GM_CSV_PAD, want = b->c.n > r->tail ? b->c.n : r->tail, was = b->c.n;
    if (want > f->st.st_size - at) want = f->st.st_size - at;
    GM_TRY(room(r->cx, b, b->c.n + want));
    GM_TRY(more(r, f, b, at, want));
    b->c.last = at + want == f->st.st_size;
    gm_csv_mark(&b->c, &r->shape, was);
    gm_csv_seek(&b->c, b->c.at);
    return GM_OK;
}

/* ---- quotes, from piece to piece ---- */

static bool odd_quotes(const gm_csv_piece *c, int64_t bytes)
{
    uint64_t x = 0;
    for (int64_t w = 1; w <= (bytes + 63) / 64 && w * 64 < c->n; w++) x ^= c->quotes[w];
    return __builtin_parityll(x);
}

/* Waits for the parity of what stands before the piece and hands on that of what follows. False: stopped. */
static bool carry(reading *r, int64_t part, const file *f, bool odd, bool *inside)
{
    pthread_mutex_lock(&r->lock);
    while (r->turn != part && !r->stop && !gm_cancelled(r->cx)) {
        struct timespec t; /* a piece that was drawn when the call was cancelled never comes */
        clock_gettime(CLOCK_REALTIME, &t);
        t.tv_nsec += 20000000;
        if (t.tv_nsec >= 1000000000) t.tv_sec++, t.tv_nsec -= 1000000000;
        pthread_cond_timedwait(&r->moved, &r->lock, &t);
    }
    bool mine = r->turn == part;
    if (mine) {
        *inside = part != f->first && r->inside;
        r->inside = *inside != odd;
        r->turn++;
        pthread_cond_broadcast(&r->moved);
    }
    pthread_mutex_unlock(&r->lock);
    return mine;
}

/* ---- a piece's records ---- */

static gm_code give_up(reading *r)
{
    pthread_mutex_lock(&r->lock);
    r->give_up = true;
    pthread_mutex_unlock(&r->lock);
    return GM_EDATA; /* told to nobody: the database reads */
}

static bool tile_is_text(const buffers *b, int64_t from)
{
    return !(b->c.others & GM_MARKS_WIDE) || gm_utf8_valid(b->c.p + from, (size_t)(b->c.at - from), NULL);
}

static gm_code records_of(reading *r, const file *f, buffers *b, int64_t from, int64_t end)
{
    int64_t begin = b->c.at;
    for (;;) {
        gm_csv_cut cut = gm_csv_cut_rows(&b->c, &r->shape, end, gm_csv_lane_tile(b->lane));
        if (cut == GM_CUT_GIVE_UP || (b->c.others & GM_MARKS_ZERO) || !tile_is_text(b, begin))
            return give_up(r);
        GM_TRY(gm_csv_lane_push(r->cx, b->lane)); /* also before the bytes move */
        begin = b->c.at;
        if (cut == GM_CUT_DONE) return GM_OK;
        if (cut == GM_CUT_MORE) GM_TRY(lengthen(r, f, b, from));
    }
}

/* Passes over what is before the first record of a file: the byte order mark and the header. */
static gm_code pass_header(reading *r, const file *f, buffers *b)
{
    gm_csv_cut cut;
    int64_t at = GM_CSV_PAD;
    if (b->c.n >= at + 3 && memcmp(b->c.p + at, "\xef\xbb\xbf", 3) == 0) at += 3;
    gm_csv_seek(&b->c, at);
    if (!r->csv->o.header) return GM_OK;
    while ((cut = gm_csv_cut_rows(&b->c, &r->shape, b->c.n, NULL)) == GM_CUT_MORE)
        GM_TRY(lengthen(r, f, b, 0));
    return cut == GM_CUT_DONE ? GM_OK : give_up(r);
}

static bool same_ends(reading *r, int ends)
{
    pthread_mutex_lock(&r->lock);
    if (r->ends == 0) r->ends = ends;
    bool same = ends == 0 || r->ends == ends;
    pthread_mutex_unlock(&r->lock);
    return same;
}

static gm_code piece_in(reading *r, buffers *b, int64_t part)
{
    file *f = r->file + r->n_files - 1;
    while (f->first > part) f--;
    int64_t from = (part - f->first) * r->piece, to = from + r->piece;
    bool inside = false;
    if (to > f->st.st_size) to = f->st.st_size;
    GM_TRY(load(r, f, b, from, to));
    if (r->shape.quote && !carry(r, part, f, odd_quotes(&b->c, r->piece), &inside))
        return gm_cancelled(r->cx) ? gm_check_cancel(r->cx) : GM_EDATA;
    int64_t end = GM_CSV_PAD + (to - from);
    if (from == 0) GM_TRY(pass_header(r, f, b));
    else gm_csv_seek(&b->c, gm_csv_first(&b->c, &r->shape, GM_CSV_PAD, end, inside));
    GM_TRY(records_of(r, f, b, from, end));
    if (!same_ends(r, b->c.ends)) return give_up(r);
    pthread_mutex_lock(&r->lock);
    r->done += to - from;
    double rows = (double)atomic_load(r->scan->rows), share = (double)r->done / (double)r->bytes;
    pthread_mutex_unlock(&r->lock);
    if (rows > 0) gm_progress(r->cx, "scan.progress", rows, share < 1 ? rows / share : 0, "rows", "reading");
    return GM_OK;
}

static gm_code take_buffers(reading *r, buffers **out)
{
    pthread_mutex_lock(&r->lock);
    buffers *b = r->idle;
    if (b) r->idle = b->next;
    pthread_mutex_unlock(&r->lock);
    if (b) return *out = b, GM_OK;
    gm_arena a = {0};
    b = gm_alloc(r->cx, &a, 1, sizeof *b);
    gm_code code =
        b ? gm_csv_lane_new(r->cx, &a, r->scan, r->plan, r->misfit, r->shape.slot, r->shape.n_slots, &b->lane)
          : gm_why_null(r->cx);
    if (code != GM_OK) return gm_arena_end(&a), code;
    b->kept = a;
    *out = b;
    return GM_OK;
}

static gm_code piece(gm_cx *cx, void *arg, int64_t part)
{
    reading *r = arg;
    buffers *b = NULL;
    (void)cx;
    gm_code code = take_buffers(r, &b);
    if (code == GM_OK) code = piece_in(r, b, part);
    pthread_mutex_lock(&r->lock);
    if (b) b->next = r->idle, r->idle = b;
    if (code != GM_OK) {
        r->stop = true;
        pthread_cond_broadcast(&r->moved);
    }
    pthread_mutex_unlock(&r->lock);
    return code;
}

/* ---- all files ---- */

static bool suits(const gm_csv *csv)
{
    const gm_csv_options *o = &csv->o;
    return gm_csv_piece_bytes > 0 && o->encoding == NULL && o->skip == 0 && !o->pad && !csv->lax &&
           strchr(",;\t|", o->delim) && o->delim && (o->quote == 0 || o->quote == '"' || o->quote == '\'') &&
           (o->quote == 0 || o->escape == o->quote);
}

static bool ends_in(const char *path, const char *suffix)
{
    size_t n = strlen(path), k = strlen(suffix);
    return n >= k && strcasecmp(path + n - k, suffix) == 0;
}

/* False: some file is none that we read. */
static gm_code open_files(gm_cx *cx, gm_arena *a, reading *r, bool *fine)
{
    const gm_names *names = &r->csv->files;
    *fine = false;
    GM_NEW_IN(cx, a, r->file, names->n);
    r->n_files = names->n;
    for (int64_t i = 0; i < names->n; i++) {
        file *f = &r->file[i];
        f->path = names->v[i];
        f->first = r->pieces;
        if (gm_path_remote(f->path) || ends_in(f->path, ".gz") || ends_in(f->path, ".zst")) return GM_OK;
        f->fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (f->fd < 0) return GM_OK;
        GM_TRY(gm_own_fd(cx, a, f->fd));
        if (fstat(f->fd, &f->st) != 0 || !S_ISREG(f->st.st_mode) || f->st.st_size == 0) return GM_OK;
        r->pieces += (f->st.st_size + r->piece - 1) / r->piece;
        r->bytes += f->st.st_size;
    }
    *fine = true;
    return GM_OK;
}

static gm_code unchanged(reading *r)
{
    for (int64_t i = 0; i < r->n_files; i++) {
        struct stat now;
        const file *f = &r->file[i];
        if (fstat(f->fd, &now) != 0 || now.st_size != f->st.st_size ||
            now.st_mtim.tv_sec != f->st.st_mtim.tv_sec || now.st_mtim.tv_nsec != f->st.st_mtim.tv_nsec)
            return changed(r->cx, r, f->path);
    }
    return GM_OK;
}

/* What did not fit becomes the plan's, as if the database's functions had noted it. */
static void note_misfits(reading *r)
{
    for (int j = 0; j < r->plan->n; j++) {
        gm_csv_misfit *m = &r->plan->misfit[j];
        const gm_csv_misfit *own = &r->misfit[j];
        long long count = atomic_load(&own->count);
        if (count == 0) continue;
        atomic_fetch_or(&m->saw, atomic_load(&own->saw));
        if (atomic_fetch_add(&m->count, count) == 0) memcpy(m->text, own->text, sizeof m->text);
    }
}

/* *done false: the database has to read, after a restart when *began. */
static gm_code read_once(gm_cx *cx, gm_arena *a, reading *r, bool *began, bool *done)
{
    int *slot;
    bool fine;
    GM_NEW_IN(cx, a, slot, r->plan->n);
    GM_NEW_IN(cx, a, r->misfit, r->plan->n);
    const gm_csv_options *o = &r->csv->o;
    r->shape = (gm_csv_shape){
        .delim = o->delim, .quote = o->quote, .n = r->plan->n, .slot = slot, .nullstr = o->nullstr};
    if (r->plan->n < 2 || !gm_csv_wants(r->plan, r->scan->want, r->scan->n, slot, &r->shape.n_slots))
        return GM_OK;
    r->piece = gm_csv_piece_bytes;
    r->tail = r->piece / 4096 * 64 + 64;
    GM_TRY(open_files(cx, a, r, &fine));
    if (!fine) return GM_OK;
    *began = true;
    gm_code code = gm_par(cx, r->pieces, piece, r);
    if (code == GM_OK) code = unchanged(r);
    *done = code == GM_OK;
    if (code == GM_ECANCEL || code == GM_ENOMEM) return code; /* the database would fare no better */
    return *done || r->broken || !(r->give_up || r->stop) ? code : GM_OK;
}

static void end_buffers(reading *r)
{
    for (buffers *b = r->idle, *next; b; b = next) {
        const int64_t *inexact = gm_csv_lane_inexact(b->lane);
        for (int k = 0; k < r->scan->n; k++) r->scan->inexact[k] += inexact[k];
        gm_arena kept = b->kept;
        next = b->next;
        gm_arena_end(&kept);
    }
}

static gm_code review(gm_cx *cx, gm_arena *a, reading *r, bool *again)
{
    gm_run run = {.arena = a};
    gm_run_csv used = {.table = r->scan->table, .plan = r->plan};
    GM_TRY(gm_con_open(cx, a, r->scan->table->db, &run.con));
    run.csv = &used;
    note_misfits(r);
    return gm_csv_review(cx, &run, true, again);
}

static gm_code attempt(gm_cx *cx, const gm_csv_scan *scan, bool *done, bool *again)
{
    gm_arena a = {0};
    bool began = false;
    *done = false; /* a wider column may be none of ours */
    reading r = {.cx = cx, .scan = scan, .csv = scan->table->own};
    r.plan = gm_csv_plan_of(scan->table->own);
    pthread_mutex_init(&r.lock, NULL);
    pthread_cond_init(&r.moved, NULL);
    gm_code code = read_once(cx, &a, &r, &began, done);
    end_buffers(&r);
    if (code == GM_OK && *done) {
        code = review(cx, &a, &r, again);
        if (code == GM_OK && *again) code = scan->restart(cx, scan->arg);
    } else if (code == GM_OK && began) {
        gm_cx_forget(cx);
        code = scan->restart(cx, scan->arg);
    }
    pthread_cond_destroy(&r.moved);
    pthread_mutex_destroy(&r.lock);
    gm_arena_end(&a);
    gm_live_unref(&r.plan->live);
    return code;
}

gm_code gm_csv_scan_run(gm_cx *cx, const gm_csv_scan *scan, bool *done)
{
    bool again = true;
    *done = false;
    if (!gm_is_csv(scan->table) || scan->sink->restart == NULL || !suits(scan->table->own)) return GM_OK;
    while (again) {
        again = false;
        GM_TRY(attempt(cx, scan, done, &again));
    }
    return GM_OK;
}
