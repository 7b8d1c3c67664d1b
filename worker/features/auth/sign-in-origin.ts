/** The device and country that are stored of a sign-in, as long as the session lives: no address, and no header as it was sent. */
export interface SignInOrigin {
  /** Such as "Firefox on Linux". */
  device: string | null
  /** Two letters (ISO 3166-1), as Cloudflare says it. */
  country: string | null
}

/** Characters of `User-Agent` that are read. */
const MAX_USER_AGENT = 500

/** The first that fits names it: Chromium browsers say that they are Chrome, and all but Firefox that they are Safari. */
const PROGRAMS: readonly (readonly [RegExp, string])[] = [
  [/\bHookline[/ ]/i, 'Hookline command'],
  [/\bEdgA?\/|\bEdgiOS\//, 'Edge'],
  [/\bOPR\/|\bOPT\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChrome\/|\bCriOS\/|\bChromium\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
]

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b|\biPod\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bWindows\b/, 'Windows'],
  [/\bMacintosh\b|\bMac OS X\b|\bdarwin\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/i, 'Linux'],
]

/** The origin of a request to sign in. */
export function signInOrigin(request: Pick<Request, 'headers'> & { cf?: unknown }): SignInOrigin {
  return { device: deviceName(request.headers.get('User-Agent') ?? ''), country: countryOf(request.cf) }
}

/** The program and the system that a `User-Agent` names, in words from here alone; null where it names neither. Pure. */
export function deviceName(userAgent: string): string | null {
  const text = userAgent.slice(0, MAX_USER_AGENT)
  const find = (names: typeof PROGRAMS) => names.find(([form]) => form.test(text))?.[1]
  const [program, system] = [find(PROGRAMS), find(SYSTEMS)]
  return program && system ? `${program} on ${system}` : (program ?? system ?? null)
}

function countryOf(cf: unknown): string | null {
  const country = typeof cf === 'object' && cf !== null && 'country' in cf ? cf.country : undefined
  return typeof country === 'string' && /^[A-Z]{2}$/.test(country) && country !== 'XX' ? country : null
}
