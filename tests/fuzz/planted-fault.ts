/** A fault that a search must find: each byte is code of its own, so that coverage says when one is right. */
export function run(input: Uint8Array): void {
  if (input[0] !== 0x46) return
  if (input[1] !== 0x55) return
  if (input[2] !== 0x5a) return
  throw new TypeError('the planted fault')
}
