import type { Page } from 'playwright-core'

/**
 * From now on the console of this page gets access tokens that end after so many seconds, signed anew in the page with
 * the key that `runOnNodes` sets. (A route of the driver would hand it each request of the page, bodies included.)
 */
export async function shortenTokens(page: Page, seconds: number): Promise<void> {
  await page.addInitScript((lifetime) => {
    const encode = (bytes: Uint8Array) =>
      btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
        .replaceAll('+', '-')
        .replaceAll('/', '_')
        .replaceAll('=', '')
    const decode = (text: string) => JSON.parse(atob(text.replaceAll('-', '+').replaceAll('_', '/')))
    const sign = async (token: string) => {
      const [header = '', payload = ''] = token.split('.')
      const claims = decode(payload)
      const short = encode(new TextEncoder().encode(JSON.stringify({ ...claims, exp: claims.iat + lifetime })))
      const hmac = { name: 'HMAC', hash: 'SHA-256' }
      const key = await crypto.subtle.importKey('raw', new Uint8Array(32), hmac, false, ['sign'])
      const signature = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(`${header}.${short}`))
      return `${header}.${short}.${encode(new Uint8Array(signature))}`
    }
    const ask = window.fetch
    window.fetch = async (input, init) => {
      const answer = await ask(input, init)
      if (input !== '/console/session' || !answer.ok || answer.status === 204) return answer
      const { accessToken }: { accessToken: string } = await answer.json()
      document.documentElement.dataset.tokens = String(Number(document.documentElement.dataset.tokens ?? 0) + 1)
      return Response.json({ accessToken: await sign(accessToken) }, { status: answer.status })
    }
  }, seconds)
}

/** How many such tokens this page was given. */
export async function issuedTokens(page: Page): Promise<number> {
  return await page.evaluate(() => Number(document.documentElement.dataset.tokens ?? 0))
}
