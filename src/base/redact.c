/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redact.c - credentials out of a text, before it is stored, logged or shown. In doubt it hides too much.
 *
 * One walk over the words of the text: a word before "://" begins a URL; SECRET after CREATE has arguments in
 * parentheses; a word that ends in password, access_key, ... has a value behind '=', ':' or a blank and a
 * quote.
 */
#include "base/buf.h"
#include "base/file.h"
#include <ctype.h>

#define HIDDEN "***"

/* Compared without '_', '-' and case, as the end of a word. */
static const char secret_words[] =
    "password passwd pwd passphrase secret secretkey secretaccesskey accesskey accesskeyid accountkey apikey "
    "privatekey sessiontoken accesstoken authtoken bearertoken sastoken refreshtoken motherducktoken "
    "credential credentials connectionstring sharedaccesssignature authorization signature";

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '-'; }
static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static const char *skip_blanks(const char *s)
{
    while (is_blank(*s)) s++;
    return s;
}

static bool equal(const char *s, size_t n, const char *word)
{
    return strlen(word) == n && strncasecmp(s, word, n) == 0;
}

static bool is_secret(const char *s, size_t n)
{
    char flat[64];
    size_t k = 0;
    if (n > 48) s += n - 48, n = 48;
    for (size_t i = 0; i < n; i++)
        if (s[i] != '_' && s[i] != '-') flat[k++] = (char)tolower((unsigned char)s[i]);
    for (const char *word = secret_words; *word; word += *word == ' ') {
        size_t m = strcspn(word, " ");
        if (m <= k && memcmp(flat + k - m, word, m) == 0) return true;
        word += m;
    }
    return false;
}

/* Behind the closing quote of the quoted text at s; '' and \' do not close it. */
static const char *quote_end(const char *s)
{
    char quote = *s++;
    for (; *s; s++) {
        if (*s == '\\' && s[1]) s++;
        else if (*s == quote && s[1] == quote) s++;
        else if (*s == quote) return s + 1;
    }
    return s;
}

/* The value at s, hidden; returns what follows it. */
static const char *value(gm_buf *b, const char *s)
{
    if (*s == '\'' || *s == '"') {
        const char *end = quote_end(s);
        gm_buf_printf(b, "%c" HIDDEN "%c", *s, *s);
        return end;
    }
    const char *end = s + strcspn(s, " \t\r\n;,&)]}'\"");
    if (end > s) gm_buf_str(b, HIDDEN);
    return end;
}

/* Behind a secret word that followed `before`: a separator and a value, or nothing to hide. */
static const char *assigned(gm_buf *b, const char *s, char before)
{
    const char *at = s;
    if ((*at == '"' || *at == '\'') && before == *at) at++; /* a quoted name, as in JSON */
    const char *gap = skip_blanks(at);
    bool typed = gap[0] == ':' && gap[1] == ':'; /* an SQL cast */
    if ((*gap == '=' || *gap == ':') && !typed) {
        gap += 1 + (gap[0] == '=' && gap[1] == '>');
        gap = skip_blanks(gap);
        /* "Authorization: Bearer abc" has its secret in the second word. */
        if (strncasecmp(gap, "bearer ", 7) == 0 || strncasecmp(gap, "basic ", 6) == 0)
            gap = skip_blanks(gap + 6);
    } else if (gap == at || *gap != '\'') {
        return s;
    }
    gm_buf_add(b, s, (size_t)(gap - s));
    return value(b, gap);
}

/* From behind "://" to the end of the URL. */
static const char *url(gm_buf *b, const char *s)
{
    size_t n = strcspn(s, " \t\r\n'\"<>`"), path = strcspn(s, "/?#"), query;
    const char *user = NULL, *end = s + n;
    if (path > n) path = n;
    for (size_t i = 0; i < path; i++)
        if (s[i] == '@') user = s + i;
    const char *colon = memchr(s, ':', path);
    if (user == NULL && colon && colon + 1 < s + path && !isdigit((unsigned char)colon[1]) &&
        colon[1] != '[' && *s != '[')
        for (size_t i = path; i < n; i++) /* not a port: a password with a slash in it */
            if (s[i] == '@') user = s + i;
    if (user) {
        gm_buf_str(b, HIDDEN);
        s = user;
    }
    query = strcspn(s, "?");
    if (query >= (size_t)(end - s)) {
        gm_buf_add(b, s, (size_t)(end - s));
        return end;
    }
    gm_buf_add(b, s, query + 1);
    for (s += query + 1; s < end;) {
        size_t name = strcspn(s, "=&"), all = strcspn(s, "&");
        if (all > (size_t)(end - s)) all = (size_t)(end - s);
        if (name < all) {
            gm_buf_add(b, s, name + 1);
            gm_buf_str(b, HIDDEN);
        } else if (all) {
            gm_buf_str(b, HIDDEN);
        }
        s += all;
        if (s < end) gm_buf_add(b, s++, 1);
    }
    return end;
}

/* CREATE SECRET name ( ... ): from behind SECRET to behind the parenthesis. */
static const char *arguments(gm_buf *b, const char *s)
{
    size_t n = strcspn(s, "(;");
    gm_buf_add(b, s, n);
    s += n;
    if (*s != '(') return s;
    gm_buf_str(b, "(" HIDDEN);
    for (s++; *s && *s != ')';) s = *s == '\'' || *s == '"' ? quote_end(s) : s + 1;
    return s;
}

static bool is_modifier(const char *s, size_t n)
{
    return equal(s, n, "or") || equal(s, n, "replace") || equal(s, n, "persistent") ||
           equal(s, n, "temporary") || equal(s, n, "temp");
}

char *gm_redact(gm_cx *cx, gm_arena *a, const char *text)
{
    gm_buf b = gm_buf_in(cx, a);
    bool creating = false; /* CREATE [OR REPLACE] [PERSISTENT | TEMPORARY] stands before */
    for (const char *s = text; *s;) {
        size_t n = 0;
        if (!is_word(*s)) {
            gm_buf_add(&b, s++, 1);
            continue;
        }
        while (is_word(s[n])) n++;
        const char *word = s;
        gm_buf_add(&b, word, n);
        s += n;
        if (strncmp(s, "://", 3) == 0) {
            gm_buf_add(&b, s, 3);
            s = url(&b, s + 3);
        } else if (equal(word, n, "secret") && creating) {
            s = arguments(&b, s);
        } else if (is_secret(word, n)) {
            s = assigned(&b, s, word > text ? word[-1] : 0);
        }
        creating = equal(word, n, "create") || (creating && is_modifier(word, n));
    }
    return gm_buf_done(&b) == GM_OK ? b.p : NULL;
}
