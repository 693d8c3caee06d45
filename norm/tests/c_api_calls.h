/* The calls of c_api_calls.c: 0, or the line that failed. */
#ifndef NORMCHECK_NORM_TESTS_C_API_CALLS_H_
#define NORMCHECK_NORM_TESTS_C_API_CALLS_H_

#ifdef __cplusplus
extern "C" {
#endif
int c_api_normalizes_a_row(void);
int c_api_runs_every_target(void);
int c_api_names_faults(void);
int c_api_converts(void);
#ifdef __cplusplus
}
#endif

#endif /* NORMCHECK_NORM_TESTS_C_API_CALLS_H_ */
