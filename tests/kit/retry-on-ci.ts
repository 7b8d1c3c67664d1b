/**
 * How often a failing test is run again where a change is judged (`.ci/run` sets CI): a machine that is busy with others
 * must not refuse it. Such a test is named at the end (report-retries.ts) and is to be mended. By hand nothing is run again.
 */
export const retryOnCi = process.env.CI ? 1 : 0
