/* SPDX-License-Identifier: Apache-2.0 */
/* distinct.c - see distinct.h. */
#include "table/distinct.h"
#include "base/rng.h"
#include <math.h>
#include <string.h>

/* A register holds the largest rank (leading zeros + 1) of the bits that did not choose it: 0 to REST + 1. */
enum { CHOOSE = 11, REST = 64 - CHOOSE };
_Static_assert(GM_DISTINCT_REGISTERS == 1 << CHOOSE, "registers are chosen by CHOOSE bits");

static void count_in(gm_distinct *d, uint64_t hash)
{
    uint64_t rest = hash << CHOOSE;
    uint8_t rank = (uint8_t)(rest ? __builtin_clzll(rest) + 1 : REST + 1), *at = &d->of[hash >> REST];
    if (rank > *at) *at = rank;
}

static void to_registers(gm_distinct *d)
{
    uint64_t kept[GM_DISTINCT_SLOTS];
    memcpy(kept, d->slot, sizeof kept);
    memset(d->of, 0, sizeof d->of);
    d->kept = -1;
    for (int i = 0; i < GM_DISTINCT_SLOTS; i++)
        if (kept[i]) count_in(d, kept[i]);
}

static void keep(gm_distinct *d, uint64_t hash)
{
    unsigned at = (unsigned)hash % GM_DISTINCT_SLOTS;
    for (; d->slot[at]; at = (at + 1) % GM_DISTINCT_SLOTS)
        if (d->slot[at] == hash) return;
    if (d->kept < GM_DISTINCT_EXACT) {
        d->slot[at] = hash;
        d->kept++;
        return;
    }
    to_registers(d);
    count_in(d, hash);
}

void gm_distinct_add(gm_distinct *d, uint64_t hash)
{
    if (hash == 0) hash = 1; /* 0 is a free slot */
    if (hash == d->latest) return;
    d->latest = hash;
    if (d->kept >= 0) keep(d, hash);
    else count_in(d, hash);
}

void gm_distinct_join(gm_distinct *d, const gm_distinct *other)
{
    if (other->kept >= 0) {
        for (int i = 0; i < GM_DISTINCT_SLOTS; i++)
            if (other->slot[i]) gm_distinct_add(d, other->slot[i]);
        return;
    }
    if (d->kept >= 0) to_registers(d);
    for (int i = 0; i < GM_DISTINCT_REGISTERS; i++)
        if (other->of[i] > d->of[i]) d->of[i] = other->of[i];
}

uint64_t gm_distinct_real(double x)
{
    uint64_t bits;
    x = isnan(x) ? NAN : x + 0.0; /* -0 + 0 is 0 */
    memcpy(&bits, &x, sizeof bits);
    return gm_mix64(bits);
}

/* ---- Ertl's estimator ---- */

/* x + sum of x^(2^k) 2^(k-1) over k = 1, 2, ...: the share of registers that are still 0. */
static double sigma(double x)
{
    double y = 1, z = x, before = -1;
    if (x >= 1) return INFINITY;
    while (z != before) {
        x *= x;
        before = z;
        z += x * y;
        y += y;
    }
    return z;
}

/* (1 - x - sum of (1 - x^(2^-k))^2 2^-k over k = 1, 2, ...) / 3: the share that is not yet full. */
static double tau(double x)
{
    double y = 1, z = 1 - x, before = -1;
    if (x <= 0 || x >= 1) return 0;
    while (z != before) {
        x = sqrt(x);
        before = z;
        y *= 0.5;
        z -= (1 - x) * (1 - x) * y;
    }
    return z / 3;
}

double gm_distinct_count(const gm_distinct *d)
{
    static const double m = GM_DISTINCT_REGISTERS;
    int with[REST + 2] = {0}; /* registers by what they hold */
    if (d->kept >= 0) return d->kept;
    for (int i = 0; i < GM_DISTINCT_REGISTERS; i++) with[d->of[i]]++;
    double z = m * tau(1 - with[REST + 1] / m);
    for (int k = REST; k >= 1; k--) z = 0.5 * (z + with[k]);
    z += m * sigma(with[0] / m);
    return round(m * m / (2 * log(2) * z));
}
