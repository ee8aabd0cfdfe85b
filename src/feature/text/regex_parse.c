/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regex_parse.c - a regular expression to its tree, by recursive descent.
 */
#include "feature/text/regex_parse.h"
#include "feature/text/lower.h"
#include <stdlib.h>

enum { MAX_DEPTH = 100, MAX_PATTERN = 10000, LAST = 0x10FFFF };

typedef struct parser {
    gm_cx *cx;
    gm_arena *a;
    const char *pattern, *p, *what;
    int depth;
} parser;

/* Ranges that are being collected, in any order. */
typedef struct ranges {
    gm_range *v;
    int64_t n, cap;
} ranges;

static gm_code wrong(const parser *s, const char *found)
{
    return gm_hint_add(s->cx,
                       gm_fail(s->cx, GM_EPARAM, "%s: pattern '%s', character %lld: %s", s->what, s->pattern,
                               (long long)gm_utf8_length(s->pattern, (size_t)(s->p - s->pattern)) + 1, found),
                       "`gristmill help RegexTokenizer` lists what a pattern may hold");
}

static gm_code add_range(const parser *s, ranges *r, uint32_t lo, uint32_t hi)
{
    if (r->n == r->cap) {
        int64_t cap = r->cap ? 2 * r->cap : 16;
        GM_GOT(s->cx, r->v = gm_regrow(s->cx, s->a, r->v, r->cap, cap, sizeof *r->v));
        r->cap = cap;
    }
    r->v[r->n++] = (gm_range){lo, hi};
    return GM_OK;
}

static int by_lo(const void *a, const void *b)
{
    uint32_t x = ((const gm_range *)a)->lo, y = ((const gm_range *)b)->lo;
    return (x > y) - (x < y);
}

/* Sorts and joins them. */
static void tidy(ranges *r)
{
    if (r->n > 1) qsort(r->v, (size_t)r->n, sizeof *r->v, by_lo);
    int64_t m = 0;
    for (int64_t i = 0; i < r->n; i++) {
        if (m > 0 && r->v[i].lo <= r->v[m - 1].hi + 1) {
            if (r->v[i].hi > r->v[m - 1].hi) r->v[m - 1].hi = r->v[i].hi;
        } else {
            r->v[m++] = r->v[i];
        }
    }
    r->n = m;
}

static gm_code complement(const parser *s, ranges *r)
{
    ranges out = {0};
    uint32_t next = 0;
    tidy(r);
    for (int64_t i = 0; i < r->n; i++) {
        if (r->v[i].lo > next) GM_TRY(add_range(s, &out, next, r->v[i].lo - 1));
        next = r->v[i].hi + 1;
    }
    if (next <= LAST) GM_TRY(add_range(s, &out, next, LAST));
    *r = out;
    return GM_OK;
}

bool gm_charset_has(const gm_charset *s, uint32_t u)
{
    if (u < 128) return s->ascii[u >> 6] >> (u & 63) & 1;
    int64_t lo = 0, hi = s->n;
    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;
        if (s->range[mid].hi < u) lo = mid + 1;
        else hi = mid;
    }
    return lo < s->n && s->range[lo].lo <= u;
}

static gm_code make_set(const parser *s, ranges *r, const gm_re_node **out)
{
    gm_charset *set;
    gm_re_node *node;
    GM_NEW_IN(s->cx, s->a, set, 1);
    GM_NEW_IN(s->cx, s->a, node, 1);
    tidy(r);
    set->range = r->v;
    set->n = r->n;
    for (int64_t i = 0; i < r->n; i++)
        for (uint32_t u = r->v[i].lo; u < 128 && u <= r->v[i].hi; u++)
            set->ascii[u >> 6] |= UINT64_C(1) << (u & 63);
    *node = (gm_re_node){.kind = GM_RE_SET, .set = set};
    *out = node;
    return GM_OK;
}

static gm_code make(const parser *s, gm_re_node value, const gm_re_node **out)
{
    gm_re_node *node;
    GM_NEW_IN(s->cx, s->a, node, 1);
    *node = value;
    *out = node;
    return GM_OK;
}

/* ---- classes ---- */
typedef struct named {
    const char *name, *pairs; /* ranges of ASCII: "azAZ" */
} named;
static const named ascii_classes[] = {
    {"Lower", "az"},     {"Upper", "AZ"},       {"Alpha", "azAZ"},    {"Digit", "09"},
    {"Alnum", "azAZ09"}, {"Punct", "!/:@[`{~"}, {"Graph", "!~"},      {"Print", " ~"},
    {"Blank", "\t\t  "}, {"Space", "\t\r  "},   {"XDigit", "09afAF"}, {"ASCII", NULL},
};

static gm_code add_pairs(const parser *s, ranges *r, const char *pairs)
{
    for (; *pairs; pairs += 2) GM_TRY(add_range(s, r, (unsigned char)pairs[0], (unsigned char)pairs[1]));
    return GM_OK;
}

static gm_code add_table(const parser *s, ranges *r, const gm_range *table, int64_t n)
{
    for (int64_t i = 0; i < n; i++) GM_TRY(add_range(s, r, table[i].lo, table[i].hi));
    return GM_OK;
}

/* \p{name}; s->p stands on the brace. */
static gm_code add_property(parser *s, ranges *r)
{
    char name[16] = {0};
    size_t n = *s->p == '{' ? strcspn(s->p + 1, "}") : 0;
    if (*s->p == '{' && s->p[1 + n] == '\0') return wrong(s, "the class name does not end");
    if (*s->p != '{') name[0] = *s->p;
    if (n >= sizeof name) return wrong(s, "there is no such class");
    if (*s->p == '{') memcpy(name, s->p + 1, n);
    for (int64_t i = 0; i < GM_COUNT(ascii_classes); i++)
        if (strcmp(ascii_classes[i].name, name) == 0) {
            s->p += n + 2;
            return ascii_classes[i].pairs ? add_pairs(s, r, ascii_classes[i].pairs) : add_range(s, r, 0, 127);
        }
    const char *bare = strncmp(name, "Is", 2) == 0 ? name + 2 : name;
    const char *at = bare[0] && bare[1] == '\0' ? strchr("LMNPS", bare[0]) : NULL;
    if (at == NULL)
        return wrong(s, "there is no such class; there are L, M, N, P, S and Java's ASCII classes");
    s->p += *s->p == '{' ? n + 2 : 1;
    switch (*at) {
    case 'L': return add_table(s, r, gm_unicode_letters, GM_COUNT(gm_unicode_letters));
    case 'M': return add_table(s, r, gm_unicode_marks, GM_COUNT(gm_unicode_marks));
    case 'N': return add_table(s, r, gm_unicode_numbers, GM_COUNT(gm_unicode_numbers));
    case 'P': return add_table(s, r, gm_unicode_punctuation, GM_COUNT(gm_unicode_punctuation));
    default: return add_table(s, r, gm_unicode_symbols, GM_COUNT(gm_unicode_symbols));
    }
}

static gm_code hex(parser *s, int digits, uint32_t *out)
{
    *out = 0;
    for (int i = 0; i < digits; i++, s->p++) {
        char c = *s->p;
        int v = c >= '0' && c <= '9'                 ? c - '0'
                : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                     : -1;
        if (v < 0) return wrong(s, "expected a hexadecimal digit");
        *out = *out * 16 + (uint32_t)v;
    }
    return GM_OK;
}

/* What follows a backslash: a class (*single false) or one character. */
static gm_code escape(parser *s, ranges *r, bool *single, uint32_t *u)
{
    char c = *s->p++;
    *single = false;
    const char *pairs = (c | 32) == 'd'   ? "09"
                        : (c | 32) == 'w' ? "azAZ09__"
                        : (c | 32) == 's' ? "\t\r  "
                                          : NULL;
    if (pairs || c == 'p' || c == 'P') {
        ranges own = {0};
        GM_TRY(pairs ? add_pairs(s, &own, pairs) : add_property(s, &own));
        if (c >= 'A' && c <= 'Z') GM_TRY(complement(s, &own));
        return add_table(s, r, own.v, own.n);
    }
    *single = true;
    switch (c) {
    case 't': *u = '\t'; return GM_OK;
    case 'n': *u = '\n'; return GM_OK;
    case 'r': *u = '\r'; return GM_OK;
    case 'f': *u = '\f'; return GM_OK;
    case 'x': return hex(s, 2, u);
    case 'u': return hex(s, 4, u);
    default: break;
    }
    s->p--;
    if (c == '\0') return wrong(s, "nothing follows the backslash");
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
        return wrong(s, "this escape is not supported");
    size_t len;
    *u = gm_utf8_next(s->p, strlen(s->p), &len);
    s->p += len;
    return GM_OK;
}

/* One member of [...]: a character or a class. */
static gm_code member(parser *s, ranges *r, bool *single, uint32_t *u)
{
    if (*s->p == '\\') {
        s->p++;
        return escape(s, r, single, u);
    }
    if (*s->p == '[' || (s->p[0] == '&' && s->p[1] == '&'))
        return wrong(s, "sets inside sets are not supported");
    size_t len;
    *single = true;
    *u = gm_utf8_next(s->p, strlen(s->p), &len);
    s->p += len;
    return GM_OK;
}

static gm_code bracket(parser *s, const gm_re_node **out)
{
    ranges r = {0};
    bool negated = *++s->p == '^', single = false;
    uint32_t lo = 0, hi;
    s->p += negated;
    for (bool first = true; first || *s->p != ']'; first = false) {
        if (*s->p == '\0') return wrong(s, "the set '[' is not closed");
        GM_TRY(member(s, &r, &single, &lo));
        if (!single) continue;
        hi = lo;
        if (s->p[0] == '-' && s->p[1] != ']' && s->p[1] != '\0') {
            s->p++;
            GM_TRY(member(s, &r, &single, &hi));
            if (!single || hi < lo) return wrong(s, "a range must go from a character to a later one");
        }
        GM_TRY(add_range(s, &r, lo, hi));
    }
    s->p++;
    if (negated) GM_TRY(complement(s, &r));
    return make_set(s, &r, out);
}

/* ---- structure ---- */
static gm_code alternatives(parser *s, const gm_re_node **out);

static gm_code group(parser *s, const gm_re_node **out)
{
    s->p++;
    if (*s->p == '?') {
        if (s->p[1] != ':') return wrong(s, "groups that begin with (? are not supported, but for (?:");
        s->p += 2;
    }
    if (++s->depth > MAX_DEPTH) return wrong(s, "groups are nested too deep");
    GM_TRY(alternatives(s, out));
    s->depth--;
    if (*s->p != ')') return wrong(s, "the group '(' is not closed");
    s->p++;
    return GM_OK;
}

static gm_code escaped_atom(parser *s, const gm_re_node **out)
{
    ranges r = {0};
    bool single = false;
    uint32_t u = 0;
    s->p++;
    if (*s->p == 'b' || *s->p == 'B')
        return make(s, (gm_re_node){.kind = *s->p++ == 'b' ? GM_RE_WORD_EDGE : GM_RE_NO_WORD_EDGE}, out);
    GM_TRY(escape(s, &r, &single, &u));
    if (single) GM_TRY(add_range(s, &r, u, u));
    return make_set(s, &r, out);
}

static gm_code atom(parser *s, const gm_re_node **out)
{
    ranges r = {0};
    size_t len;
    switch (*s->p) {
    case '(': return group(s, out);
    case '[': return bracket(s, out);
    case '\\': return escaped_atom(s, out);
    case '^': s->p++; return make(s, (gm_re_node){.kind = GM_RE_BEGIN}, out);
    case '$': s->p++; return make(s, (gm_re_node){.kind = GM_RE_END}, out);
    case '*':
    case '+':
    case '?':
    case '{': return wrong(s, "there is nothing to repeat");
    case '.': /* all but Java's line ends */
        s->p++;
        GM_TRY(add_pairs(s, &r, "\n\n\r\r"));
        GM_TRY(add_range(s, &r, 0x85, 0x85));
        GM_TRY(add_range(s, &r, 0x2028, 0x2029));
        GM_TRY(complement(s, &r));
        return make_set(s, &r, out);
    default: break;
    }
    uint32_t u = gm_utf8_next(s->p, strlen(s->p), &len);
    s->p += len;
    GM_TRY(add_range(s, &r, u, u));
    return make_set(s, &r, out);
}

static int number(parser *s)
{
    int n = -1;
    for (; *s->p >= '0' && *s->p <= '9'; s->p++)
        if (n <= GM_RE_REPEATS) n = (n < 0 ? 0 : n * 10) + (*s->p - '0');
    return n;
}

/* {m}, {m,}, {m,n}; s->p stands behind the brace. */
static gm_code counts(parser *s, int *min, int *max)
{
    *min = *max = number(s);
    if (*min >= 0 && *s->p == ',') {
        s->p++;
        *max = *s->p == '}' ? -1 : number(s);
        if (*s->p != '}' || (*max < 0 && s->p[-1] != ',')) return wrong(s, "expected {m}, {m,} or {m,n}");
    }
    if (*min < 0 || *s->p++ != '}') return wrong(s, "expected {m}, {m,} or {m,n}");
    if (*min > GM_RE_REPEATS || *max > GM_RE_REPEATS) return wrong(s, "more than 1000 repeats");
    if (*max >= 0 && *max < *min) return wrong(s, "the repeats {m,n} must rise");
    return GM_OK;
}

static gm_code repeated(parser *s, const gm_re_node **out)
{
    GM_TRY(atom(s, out));
    while (*s->p && strchr("*+?{", *s->p)) {
        gm_re_node r = {
            .kind = GM_RE_REPEAT, .left = *out, .min = *s->p == '+', .max = *s->p == '?' ? 1 : -1};
        if (*s->p++ == '{') GM_TRY(counts(s, &r.min, &r.max));
        if (*s->p == '+') return wrong(s, "possessive repeats are not supported");
        if (*s->p == '?') {
            r.lazy = true;
            s->p++;
        }
        if (++s->depth > MAX_DEPTH) return wrong(s, "repeats are nested too deep");
        GM_TRY(make(s, r, out));
    }
    return GM_OK;
}

static gm_code sequence(parser *s, const gm_re_node **out)
{
    int depth = s->depth;
    GM_TRY(make(s, (gm_re_node){.kind = GM_RE_EMPTY}, out));
    while (*s->p && *s->p != '|' && *s->p != ')') {
        const gm_re_node *left = *out, *right;
        GM_TRY(repeated(s, &right));
        s->depth = depth;
        if (left->kind == GM_RE_EMPTY) *out = right;
        else GM_TRY(make(s, (gm_re_node){.kind = GM_RE_CAT, .left = left, .right = right}, out));
    }
    return GM_OK;
}

static gm_code alternatives(parser *s, const gm_re_node **out)
{
    GM_TRY(sequence(s, out));
    while (*s->p == '|') {
        const gm_re_node *left = *out, *right;
        s->p++;
        GM_TRY(sequence(s, &right));
        GM_TRY(make(s, (gm_re_node){.kind = GM_RE_ALT, .left = left, .right = right}, out));
    }
    return GM_OK;
}

gm_code gm_regex_parse(gm_cx *cx, gm_arena *a, const char *pattern, const char *what, const gm_re_node **out)
{
    parser s = {.cx = cx, .a = a, .pattern = pattern, .p = pattern, .what = what};
    size_t bad;
    if (strlen(pattern) > MAX_PATTERN)
        return gm_fail(cx, GM_EPARAM, "%s: the pattern has %zu bytes, %d at most", what, strlen(pattern),
                       MAX_PATTERN);
    if (!gm_utf8_valid(pattern, strlen(pattern), &bad))
        return gm_fail(cx, GM_EPARAM, "%s: the pattern is not UTF-8 at byte %zu", what, bad);
    GM_TRY(alternatives(&s, out));
    if (*s.p == ')') return wrong(&s, "')' closes no group");
    return GM_OK;
}
