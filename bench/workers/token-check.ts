import { hashPassword } from '../../worker/features/auth/password-hash.ts'
import { signToken } from '../../worker/features/auth/sign-token.ts'
import { verifyToken } from '../../worker/features/auth/verify-token.ts'

// Does one thing `?times=` times: /token checks an access token, as every request that needs one does before it
// queries the account; /hash hashes a password, as a login does.
const config = { baseUrl: new URL('https://api.example'), tokenKeys: [{ secret: new Uint8Array(32).fill(7) }] }

export default {
  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const times = Number(searchParams.get('times'))
    if (pathname === '/hash') {
      for (let turn = 0; turn < times; turn++) hashPassword('Correct1', { current: undefined, known: [] })
      return new Response('hashed')
    }
    const now = Math.floor(Date.now() / 1000)
    const profile = { email: 'a@example.com', firstName: 'Ada', lastName: 'Lovelace', status: 1 }
    const claims = { ...profile, sub: 'user', jti: 'id', iat: now, exp: now + 1800, auth_time: now, epoch: 0 }
    const token = await signToken('access', claims, config)
    let valid = 0
    for (let turn = 0; turn < times; turn++) {
      if ((await verifyToken(token, 'access', config, now)).valid) valid++
    }
    return new Response(String(valid), { status: valid === times ? 200 : 500 })
  },
}
