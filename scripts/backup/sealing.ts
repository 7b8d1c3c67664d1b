import { Readable } from 'node:stream'
import { Decrypter, Encrypter } from 'age-encryption'
import type { Open, Sealing } from './part-folder.ts'

/** Encrypts parts for the holder of a key (https://age-encryption.org/v1). @throws {Error} where the recipient is none */
export function sealFor(recipient: string): Sealing {
  const encrypter = new Encrypter()
  encrypter.addRecipient(recipient)
  return {
    suffix: '.age',
    seal: async (content) => Readable.from(await encrypter.encrypt(Readable.toWeb(content))),
  }
}

/**
 * @param identities the text of a key file of `age-keygen`: lines that begin with AGE-SECRET-KEY-, and comments
 * @throws {Error} where there is none
 */
export function openWith(identities: string): Open {
  const decrypter = new Decrypter()
  const keys = identities.split('\n').filter((line) => line.startsWith('AGE-SECRET-KEY-'))
  if (keys.length === 0) throw new Error('The identity file has no line that begins with AGE-SECRET-KEY-.')
  for (const key of keys) decrypter.addIdentity(key.trim())
  return async (content) => Readable.from(await decrypter.decrypt(Readable.toWeb(content)))
}
