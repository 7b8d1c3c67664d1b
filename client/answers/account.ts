import { type Answer, amount, answerReader, byName, listed, number, optional, text, texts } from './answer-shape.ts'

const readPermission = answerReader('The permission', { name: text })

export const readProfile = answerReader('The profile', {
  id: text,
  email: text,
  firstName: text,
  lastName: text,
  role: (user, name) => user.object(name).string('name'),
  permissions: (user, name) => listed(readPermission)(user, name).map((permission) => permission.name),
  status: number,
  createdAt: number,
  /** By chain, in coins. */
  balances: byName(amount),
  addresses: byName(optional(text)),
})
export type Profile = Answer<typeof readProfile>

export const readApiKey = answerReader('The API key', {
  id: text,
  name: text,
  scopes: texts,
  /** Unix seconds. */
  expiresAt: optional(number),
  createdAt: optional(number),
  lastUsedAt: optional(number),
})
export type ApiKey = Answer<typeof readApiKey>
