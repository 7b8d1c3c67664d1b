/**
 * The owner of an address, as its label in the node's wallet names it: the database may be restored to a time before
 * the address was issued.
 */
export interface AddressLabel {
  kind: 'request' | 'deposit'
  userId: string
  /** The request that it is of. */
  requestId: string | undefined
}

/** The label of an address: `hookline:<kind>:<user id>:<request id>`, the last empty for a deposit. Pure. */
export function addressLabel({ kind, userId, requestId }: AddressLabel): string {
  return `hookline:${kind}:${userId}:${requestId ?? ''}`
}

/** The fields of a label; `undefined` for another's label. Pure. */
export function parseAddressLabel(label: string | undefined): AddressLabel | undefined {
  const [, kind, userId, requestId] = /^hookline:(request|deposit):([\w-]{1,64}):([\w-]{0,64})$/.exec(label ?? '') ?? []
  if ((kind !== 'request' && kind !== 'deposit') || userId === undefined) return undefined
  return { kind, userId, requestId: requestId || undefined }
}
