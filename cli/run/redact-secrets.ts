type Env = Readonly<Record<string, string | undefined>>

/** JSON Web Tokens, `Bearer …` and cookies, wherever they stand in a text. */
const PATTERNS = [
  /eyJ[\w-]+\.[\w-]+\.[\w-]*/g,
  /(?<=bearer\s+)[^\s"',;]+/gi,
  /(?<=(?:cookie|authorization|password|refreshToken|accessToken)["']?\s*[:=]\s*["']?)[^\s"',;]+/gi,
]

/** The text without anything that opens an account. */
export function redactSecrets(text: string, env: Env): string {
  let clean = text
  // A key of any form: whatever the environment holds under that name.
  if (env.HOOKLINE_KEY && env.HOOKLINE_KEY.length >= 4) clean = clean.replaceAll(env.HOOKLINE_KEY, '[secret]')
  for (const pattern of PATTERNS) clean = clean.replace(pattern, '[secret]')
  return clean
}
