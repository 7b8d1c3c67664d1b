/** The version of Hookline (semver.org): the packages, `GET /v0/health` and `hookline --version` have the same. */
export const VERSION = '1.0.0'
