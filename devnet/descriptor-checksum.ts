const INPUT_CHARSET =
  "0123456789()[],'/*abcdefgh@:$%{}" + 'IJKLMNOPQRSTUVWXYZ&+-.;<=>?!^_|~' + 'ijklmnopqrstuvwxyzABCDEFGH`#"\\ '
const CHECKSUM_CHARSET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const GENERATOR = [0xf5dee51989n, 0xa9fdca3312n, 0x1bab10e32dn, 0x3706b1677an, 0x644d626ffdn]

function step(checksum: bigint, value: number): bigint {
  const top = checksum >> 35n
  let next = ((checksum & 0x7ffffffffn) << 5n) ^ BigInt(value)
  for (const [bit, generator] of GENERATOR.entries()) if ((top >> BigInt(bit)) & 1n) next ^= generator
  return next
}

/** An output descriptor with its checksum behind it (BIP 380). */
export function addChecksum(descriptor: string): string {
  let checksum = 1n
  let group = 0
  let groups = 0
  for (const character of descriptor) {
    const position = INPUT_CHARSET.indexOf(character)
    checksum = step(checksum, position & 31)
    group = group * 3 + (position >> 5)
    groups++
    if (groups === 3) {
      checksum = step(checksum, group)
      group = 0
      groups = 0
    }
  }
  if (groups > 0) checksum = step(checksum, group)
  for (let i = 0; i < 8; i++) checksum = step(checksum, 0)
  checksum ^= 1n
  let text = ''
  for (let i = 0n; i < 8n; i++) text += CHECKSUM_CHARSET[Number((checksum >> (5n * (7n - i))) & 31n)] ?? ''
  return `${descriptor}#${text}`
}
