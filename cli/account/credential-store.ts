import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Fields, isRecord } from '../../client/http/parse-json.ts'
import { CommandError } from '../run/command-error.ts'
import { EXIT } from '../run/exit-codes.ts'
import { writeWhole } from '../state/write-whole.ts'

/** A stored login for one API origin. */
export interface SignIn {
  kind: 'session' | 'key'
  /** The refresh token of a session, or the API key. */
  secret: string
  /** Id of the account, which is part of the key of its orders. */
  account: string
  email: string
  /** Unix seconds, if known. */
  expiresAt: number | undefined
}

export interface CredentialFile {
  signIns: Record<string, SignIn>
  /** Origin of the last login. */
  last?: string
}

/** Path of the file of credentials. */
export function credentialPath(configFolder: string): string {
  return join(configFolder, 'credentials.json')
}

/**
 * The stored credentials; empty if there is no file.
 * @throws {CommandError} 1 for a file of another program, 4 for one that others can read
 */
export async function readCredentials(configFolder: string): Promise<CredentialFile> {
  const path = credentialPath(configFolder)
  const facts = await stat(path).catch(() => undefined)
  // Windows has no such permission bits.
  if (facts && process.platform !== 'win32' && (facts.mode & 0o077) !== 0) {
    throw new CommandError(EXIT.signIn, 'credentials_exposed', `Others on this machine can read ${path}.`, {
      hint: 'Sign in again with hookline login --api; if others use this machine, end the other sessions first.',
    })
  }
  return readCredentialFile(path)
}

async function readCredentialFile(path: string): Promise<CredentialFile> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { signIns: {} }
    throw error
  }
  try {
    const file = new Fields(JSON.parse(text), 'The file')
    const signIns: Record<string, SignIn> = {}
    const kept = file.get('signIns')
    for (const [origin, entry] of Object.entries(isRecord(kept) ? kept : {})) signIns[origin] = readSignIn(entry)
    const last = file.optionalString('last')
    return { signIns, ...(last !== undefined && { last }) }
  } catch {
    throw new CommandError(EXIT.unexpected, 'credentials_unreadable', `${path} is not a credential file.`, {
      hint: 'Move the file away and sign in again.',
    })
  }
}

function readSignIn(value: unknown): SignIn {
  const entry = new Fields(value, 'The sign-in')
  return {
    kind: entry.get('kind') === 'key' ? 'key' : 'session',
    secret: entry.string('secret'),
    account: entry.string('account'),
    email: entry.string('email'),
    expiresAt: entry.optionalNumber('expiresAt'),
  }
}

/** Replaces or deletes the stored login of one origin. */
export async function saveSignIn(configFolder: string, origin: string, signIn: SignIn | undefined): Promise<void> {
  // Works for a file that others can read too: it is replaced by one that they cannot.
  const { signIns, last } = await readCredentialFile(credentialPath(configFolder))
  const { [origin]: _replaced, ...others } = signIns
  const kept: CredentialFile = signIn
    ? { signIns: { ...others, [origin]: signIn }, last: origin }
    : { signIns: others, ...(last !== undefined && last !== origin && { last }) }
  await writeWhole(credentialPath(configFolder), `${JSON.stringify({ version: 1, ...kept }, null, 2)}\n`)
}
