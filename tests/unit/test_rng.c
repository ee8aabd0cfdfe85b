/* SPDX-License-Identifier: Apache-2.0 */
/* Philox against the known answers published with Random123 (kat_vectors), and the shapes of the
 * distributions. */
#include "base/rng.h"
#include "unit.h"

static void known_answers(void **state)
{
    (void)state;
    static const struct {
        uint64_t seed, stream, counter;
        uint32_t out[4];
    } kat[] = {
        {0, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {UINT64_MAX, UINT64_MAX, UINT64_MAX, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {0x299f31d0a4093822,
         0x0370734413198a2e,
         0x85a308d3243f6a88,
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (int i = 0; i < GM_COUNT(kat); i++) {
        uint32_t out[4];
        gm_philox(kat[i].seed, kat[i].stream, kat[i].counter, out);
        assert_memory_equal(out, kat[i].out, sizeof out);
    }
}

static void uniform_is_uniform(void **state)
{
    (void)state;
    enum { N = 100000, BINS = 20 };
    int count[BINS] = {0};
    double sum = 0, chi2 = 0;
    for (uint64_t i = 0; i < N; i++) {
        double u = gm_uniform(1, 2, i);
        assert_true(u >= 0 && u < 1);
        sum += u;
        count[(int)(u * BINS)]++;
    }
    for (int b = 0; b < BINS; b++) chi2 += pow(count[b] - N / (double)BINS, 2) / (N / (double)BINS);
    assert_true(fabs(sum / N - 0.5) < 0.004); /* 4 standard errors */
    assert_true(chi2 < 43.8);                 /* 19 degrees of freedom, p = 0.001 */
}

static void normal_is_normal(void **state)
{
    (void)state;
    enum { N = 100000 };
    double m1 = 0, m2 = 0, m3 = 0, m4 = 0;
    for (uint64_t i = 0; i < N; i++) {
        double z = gm_normal(3, 4, i);
        assert_true(isfinite(z));
        m1 += z / N;
        m2 += z * z / N;
        m3 += z * z * z / N;
        m4 += z * z * z * z / N;
    }
    assert_true(fabs(m1) < 0.013 && fabs(m2 - 1) < 0.018 && fabs(m3) < 0.05 && fabs(m4 - 3) < 0.13);
}

static void draws_depend_on_all_three(void **state)
{
    (void)state;
    assert_true(gm_uniform(1, 2, 3) == gm_uniform(1, 2, 3));
    assert_true(gm_uniform(1, 2, 3) != gm_uniform(2, 2, 3));
    assert_true(gm_uniform(1, 2, 3) != gm_uniform(1, 3, 3));
    assert_true(gm_uniform(1, 2, 3) != gm_uniform(1, 2, 4));
    assert_true(gm_uniform(1, 2, 3) != gm_uniform(1, 2, 3 + ((uint64_t)1 << 40)));
}

/* The finaliser of splitmix64: its published stream from seed 0 is mix(k * golden). */
static void mix_is_splitmix64(void **state)
{
    (void)state;
    assert_true(gm_mix64(0x9E3779B97F4A7C15u) == 0xE220A8397B1DCDAFu);
    assert_true(gm_mix64(2 * 0x9E3779B97F4A7C15u) == 0x6E789E6AA1B965F4u);
    assert_true(gm_mix64(3 * 0x9E3779B97F4A7C15u) == 0x06C45D188009454Fu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers),     cmocka_unit_test(uniform_is_uniform),
        cmocka_unit_test(normal_is_normal),  cmocka_unit_test(draws_depend_on_all_three),
        cmocka_unit_test(mix_is_splitmix64),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
