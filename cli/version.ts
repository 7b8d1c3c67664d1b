declare const HOOKLINE_VERSION: string | undefined

/** Version of the package, compiled in by the build; `0.0.0` where the source itself is run. */
export const VERSION = typeof HOOKLINE_VERSION === 'string' ? HOOKLINE_VERSION : '0.0.0'
