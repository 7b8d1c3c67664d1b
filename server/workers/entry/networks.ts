/** A network of addresses: an IPv4 one is written in IPv6, so that both compare alike. */
export interface Network {
  bits: bigint
  /** How many of its first bits count. */
  length: number
}

const V4_IN_V6 = 0xffffn << 32n

/** An address as a number of 128 bits; `undefined` for what is none. */
export function parseAddress(text: string): bigint | undefined {
  const [, mapped] = /^(?:::ffff:)?(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(text) ?? []
  if (mapped !== undefined) {
    const parts = mapped.split('.').map(Number)
    if (parts.some((part) => part > 255)) return undefined
    return V4_IN_V6 | parts.reduce((sum, part) => (sum << 8n) | BigInt(part), 0n)
  }
  if (!/^[\da-f:]+$/i.test(text) || text.split('::').length > 2) return undefined
  const [head = '', tail] = text.split('::')
  const groups = (part: string) => (part === '' ? [] : part.split(':'))
  const [first, last] = [groups(head), groups(tail ?? '')]
  const missing = 8 - first.length - last.length
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined
  const all = [...first, ...new Array<string>(missing).fill('0'), ...last]
  if (all.some((group) => !/^[\da-f]{1,4}$/i.test(group))) return undefined
  return all.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n)
}

/** `10.0.0.0/8`, `fd00::/8` or one address. @throws {Error} */
function parseNetwork(text: string): Network {
  const [address = '', count, ...more] = text.split('/')
  const bits = parseAddress(address)
  const most = address.includes('.') ? 32 : 128
  const length = count === undefined ? most : /^\d{1,3}$/.test(count) ? Number(count) : Number.NaN
  if (bits === undefined || more.length > 0 || !(length <= most)) {
    throw new Error(`has ${text}, which is no address or network such as 127.0.0.1 or 10.0.0.0/8`)
  }
  return { bits, length: length + (128 - most) }
}

/** Networks between commas. @throws {Error} */
export function parseNetworks(text: string): Network[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(parseNetwork)
}

export function isIn(address: bigint, networks: readonly Network[]): boolean {
  return networks.some(({ bits, length }) => {
    const shift = BigInt(128 - length)
    return address >> shift === bits >> shift
  })
}
