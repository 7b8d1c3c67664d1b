/** What `npm start` reads from the environment beside the settings of the Worker. */
export interface StartEnvironment {
  /** Of the API; the sample page uses the next one. */
  port: number
  devnetPort: number
  /** Milliseconds between the blocks of embedded chains while something waits. */
  blockMs: number
  baseUrl: string
}

/** A variable that can't be used, as a sentence for the person who set it. */
export class EnvironmentError extends Error {
  override name = 'EnvironmentError'
}

/** Reads PORT, DEVNET_PORT, DEVNET_BLOCK_MS and BASE_URL. @throws {EnvironmentError} */
export function readEnvironment(env: Record<string, string | undefined>): StartEnvironment {
  const port = readNumber(env, 'PORT', { otherwise: 8787, max: 65_535 })
  return {
    port,
    devnetPort: readNumber(env, 'DEVNET_PORT', { otherwise: 18_787, max: 65_535 }),
    blockMs: readNumber(env, 'DEVNET_BLOCK_MS', { otherwise: 2000, max: 3_600_000 }),
    baseUrl: env.BASE_URL ?? `http://127.0.0.1:${port}`,
  }
}

function readNumber(
  env: Record<string, string | undefined>,
  name: string,
  { otherwise, max }: { otherwise: number; max: number },
): number {
  const text = env[name] || String(otherwise)
  const value = /^\d{1,7}$/.test(text) ? Number(text) : 0
  if (value >= 1 && value <= max) return value
  throw new EnvironmentError(`${name} is ${text}: it has to be a whole number from 1 to ${max}.`)
}
