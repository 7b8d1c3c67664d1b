import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { MACHINE_SETTINGS } from '../machine-settings.ts'

/** Of the bytes that are free, how many the data may take: the system and its logs need some too. */
const SHARE = 0.9

/**
 * Writes a file of settings that only its owner reads, of the packed example: keys and what this machine says are
 * filled in, and `given`. @throws {Error} where it exists: its keys are not made anew.
 */
export function writeSettings(file: string, example: string, given: Record<string, string>): void {
  if (existsSync(file)) throw new Error(`${file} exists. It has keys that are not made twice: edit it.`)
  const dataDir = given.DATA_DIR || MACHINE_SETTINGS.DATA_DIR.fallback
  const values: Record<string, string> = {
    TOKEN_JWKS: JSON.stringify({ keys: [{ kty: 'oct', alg: 'HS256', k: makeKey() }] }),
    PASSWORD_PEPPER: makeKey(),
    METRICS_TOKEN: makeKey(),
    TRUSTED_PROXIES: '127.0.0.1,::1',
    DISK_BYTES: String(Math.floor(freeBytes(dataDir) * SHARE)),
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== '')),
  }
  const text = readFileSync(example, 'utf8').replace(/^([A-Z_]+)=$/gm, (line, name: string) =>
    values[name] === undefined ? line : `${name}=${values[name]}`,
  )
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' })
}

function makeKey(): string {
  return randomBytes(32).toString('base64url')
}

/** Of the file system that the folder, or the nearest one above it, is on. */
function freeBytes(folder: string): number {
  for (let path = folder; ; path = dirname(path)) {
    if (!existsSync(path) && path !== dirname(path)) continue
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize
  }
}
