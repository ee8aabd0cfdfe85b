/* SPDX-License-Identifier: Apache-2.0 */
/*
 * student.h - Student's t distribution, for the p values of coefficients.
 */
#ifndef GM_SCORE_STUDENT_H
#define GM_SCORE_STUDENT_H

/* The probability of |T| >= |t| with dof > 0 degrees of freedom. */
double gm_student_two_sided(double t, double dof);
#endif
