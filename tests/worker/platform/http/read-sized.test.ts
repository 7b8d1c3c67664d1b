import { expect, it } from 'vitest'
import { streamedBody } from '../../../../worker/content/chain/streamed-body.ts'
import { readSized } from '../../../../worker/platform/http/read-sized.ts'

it('has all bytes of a body of which each piece takes the place of the one before', async () => {
  const bytes = Uint8Array.from({ length: 700_000 }, (_, at) => at % 251)
  const { body } = new Response(bytes)
  if (!body) throw new Error('a response with bytes has a body')
  const pieces = streamedBody(body, bytes.length).read({ start: 0, end: bytes.length - 1 })
  expect(await readSized(pieces, bytes.length)).toEqual(bytes)
})
