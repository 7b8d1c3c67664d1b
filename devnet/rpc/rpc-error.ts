/** Bitcoin Core's error numbers (rpc/protocol.h). */
export const RPC = {
  MISC: -1,
  TYPE: -3,
  WALLET: -4,
  INVALID_ADDRESS_OR_KEY: -5,
  INSUFFICIENT_FUNDS: -6,
  INVALID_PARAMETER: -8,
  WALLET_INVALID_LABEL_NAME: -11,
  WALLET_UNLOCK_NEEDED: -13,
  WALLET_PASSPHRASE_INCORRECT: -14,
  WALLET_WRONG_ENC_STATE: -15,
  WALLET_NOT_FOUND: -18,
  WALLET_NOT_SPECIFIED: -19,
  DESERIALIZATION: -22,
  VERIFY: -25,
  VERIFY_REJECTED: -26,
  ALREADY_IN_CHAIN: -27,
  IN_WARMUP: -28,
  WALLET_ALREADY_LOADED: -35,
  INVALID_REQUEST: -32600,
  METHOD_NOT_FOUND: -32601,
  PARSE: -32700,
} as const

/** An error as the response to a call. */
export class RpcError extends Error {
  override name = 'RpcError'
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}
