import type { Product } from './start-product.ts'

/** The hash of "Correct1" at a low cost; the first login replaces it by one at the present cost. */
const PASSWORD_HASH = '$scrypt$ln=4,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$dKDerxyjpp/7HVYPNffdJhxnrmpzWjQDnOaf+PrvnWw'

const PASSWORD = 'Correct1'
export const CREDENTIALS = JSON.stringify({ email: 'bench@example.com', password: PASSWORD })

export interface Tokens {
  accessToken: string
  refreshToken: string
}

/** Creates an account and logs in; `name` is used in its id, and before the @ of its email address. */
export async function signIn({ miniflare, port }: Product, name = 'bench'): Promise<Tokens> {
  const db = await miniflare.getD1Database('DB')
  await db
    .prepare(
      `INSERT INTO users (id, email, password_hash, first_name, last_name, role, status, created_at)
       VALUES (?, ?, ?, 'Ada', 'Lovelace', 'user', 1, 0)`,
    )
    .bind(name, `${name}@example.com`, PASSWORD_HASH)
    .run()
  const body = JSON.stringify({ email: `${name}@example.com`, password: PASSWORD })
  const headers = { 'Content-Type': 'application/json' }
  const response = await fetch(`http://127.0.0.1:${port}/v0/token`, { method: 'POST', headers, body })
  if (response.status !== 200) throw new Error(`login: ${response.status} ${await response.text()}`)
  const tokens: Tokens = JSON.parse(await response.text())
  return tokens
}
