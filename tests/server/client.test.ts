import { expect, it } from 'vitest'
import { findClient } from '../../server/workers/entry/client.ts'
import { parseAddress, parseNetworks } from '../../server/workers/entry/networks.ts'

const TRUSTED = parseNetworks('127.0.0.1, 10.0.0.0/8, ::1, fd00::/8')

it.each([
  ['192.0.2.1:5000', '203.0.113.9', '192.0.2.1', false, false],
  ['127.0.0.1:5000', null, '127.0.0.1', true, false],
  ['127.0.0.1:5000', '203.0.113.9', '203.0.113.9', true, true],
  ['127.0.0.1:5000', '198.51.100.1, 203.0.113.9', '203.0.113.9', true, true],
  ['127.0.0.1:5000', '198.51.100.1, 203.0.113.9, 10.1.2.3', '203.0.113.9', true, true],
  ['10.1.2.3:5000', '10.9.9.9', '10.9.9.9', true, false],
  ['127.0.0.1:5000', '192.168.1.7', '192.168.1.7', true, true],
  ['[::1]:5000', '2001:db8::5', '2001:db8::5', true, true],
  ['[fd00::7]:5000', '[2001:db8::5]:443', '2001:db8::5', true, true],
  ['[::ffff:127.0.0.1]:5000', '203.0.113.9', '203.0.113.9', true, true],
  ['127.0.0.1:5000', 'unknown, 203.0.113.9', '203.0.113.9', true, true],
  ['127.0.0.1:5000', '203.0.113.9, unknown', '127.0.0.1', true, false],
  [undefined, '203.0.113.9', undefined, false, false],
])('a connection from %s with the header %s is of %s', (peer, forwarded, address, isProxied, isNamed) => {
  expect(findClient(peer, forwarded, TRUSTED)).toEqual({ address, isProxied, isNamed })
})

it.each(['256.0.0.1', '1.2.3', ':::', '1::2::3', 'g::1', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', ''])(
  '%s is no address',
  (text) => {
    expect(parseAddress(text)).toBeUndefined()
  },
)

it.each(['10.0.0.0/33', '10.0.0.0/8/9', 'fd00::/129', '10.0.0.0/x', 'name'])('%s is no network', (text) => {
  expect(() => parseNetworks(text)).toThrow(text)
})
