type Env = Readonly<Record<string, string | undefined>>

/** JSON Web Tokens, `Bearer …` and cookies anywhere in a text. */
const PATTERNS = [
  /eyJ[\w-]+\.[\w-]+\.[\w-]*/g,
  /(?<=bearer\s+)[^\s"',;]+/gi,
  /(?<=(?:cookie|authorization|password|refreshToken|accessToken)["']?\s*[:=]\s*["']?)[^\s"',;]+/gi,
]

/** The text without credentials. */
export function redactSecrets(text: string, env: Env): string {
  let clean = text
  // The key in the environment may have any form.
  if (env.HOOKLINE_KEY && env.HOOKLINE_KEY.length >= 4) clean = clean.replaceAll(env.HOOKLINE_KEY, '[secret]')
  for (const pattern of PATTERNS) clean = clean.replace(pattern, '[secret]')
  return clean
}
