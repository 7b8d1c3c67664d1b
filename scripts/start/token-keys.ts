import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeWhole } from '../write-whole.ts'

/** The keys that sign this machine's tokens (JWK set), made once and stored in `folder`. */
export async function tokenKeys(folder: string): Promise<string> {
  const file = join(folder, 'token-keys.json')
  try {
    return await readFile(file, 'utf8')
  } catch {
    const set = JSON.stringify({ keys: [{ kty: 'oct', k: randomBytes(32).toString('base64url') }] })
    await writeWhole(file, set, 0o600)
    return set
  }
}
