import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Fields, isRecord } from '../../client/http/parse-json.ts'
import { CommandError } from '../run/command-error.ts'
import { EXIT } from '../run/exit-codes.ts'
import { writeWhole } from '../state/write-whole.ts'

/** A sign-in that is kept, for one API origin. */
export interface SignIn {
  kind: 'session' | 'key'
  /** The refresh token of a session, or the API key. */
  secret: string
  /** Id of the account; what has been begun is kept by it. */
  account: string
  email: string
  /** Unix seconds; absent where it is not known. */
  expiresAt?: number
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

/** What is kept; nothing where there is no file. @throws {CommandError} 1 for a file that is not ours. */
export async function readCredentials(configFolder: string): Promise<CredentialFile> {
  const path = credentialPath(configFolder)
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
    throw new CommandError(EXIT.unexpected, 'credentials_unreadable', `${path} is not a file of this command.`, {
      hint: 'Move it away and sign in again.',
    })
  }
}

function readSignIn(value: unknown): SignIn {
  const entry = new Fields(value, 'The sign-in')
  const expiresAt = entry.optionalNumber('expiresAt')
  return {
    kind: entry.get('kind') === 'key' ? 'key' : 'session',
    secret: entry.string('secret'),
    account: entry.string('account'),
    email: entry.string('email'),
    ...(expiresAt !== undefined && { expiresAt }),
  }
}

/** Replaces the sign-in of one origin, or forgets it. */
export async function saveSignIn(configFolder: string, origin: string, signIn: SignIn | undefined): Promise<void> {
  const { signIns, last } = await readCredentials(configFolder)
  const { [origin]: _replaced, ...others } = signIns
  const kept: CredentialFile = signIn
    ? { signIns: { ...others, [origin]: signIn }, last: origin }
    : { signIns: others, ...(last !== undefined && last !== origin && { last }) }
  await writeWhole(credentialPath(configFolder), `${JSON.stringify({ version: 1, ...kept }, null, 2)}\n`)
}
