import { expect, it } from 'vitest'
import { serverExample } from '../../scripts/settings/server-example.ts'
import { parseSettings } from '../../server/command/read-settings.ts'
import { cacheMemory } from '../../server/command/serve.ts'
import { checkServer } from '../../server/command/server-settings.ts'

const RIGHT = {
  BASE_URL: 'https://api.example.net',
  STORAGE_HOST: 'content.example.org',
  TOKEN_JWKS: JSON.stringify({ keys: [{ kty: 'oct', k: 'A'.repeat(43) }] }),
  MAIL_URL: 'https://mail.example.net/send',
  MAIL_TOKEN: 'secret',
  MAIL_FROM: 'Hookline <no-reply@example.net>',
}

const problemsOf = (more: Record<string, string>, strict: string[] = []): string[] => {
  const plan = checkServer({ ...RIGHT, ...more }, strict)
  return 'problems' in plan ? plan.problems.map((problem) => problem.split(' ')[0] ?? '') : []
}

it('names everything that cannot work, at once', () => {
  const wrong = {
    BASE_URL: 'http://api.example.net',
    MAIL_TOKEN: '',
    RPC_BITCOIN: 'http://user:password@node.example.net:8332',
    LISTEN: 'somewhere',
    INTERNAL_LISTEN: 'elsewhere',
    DATA_DIR: 'data',
    TRUSTED_PROXIES: '10.0.0.0/33',
    DISK_BYTES: '-1',
    CACHE_MEMORY: '128 MiB',
    FRONT_KEY: 'A'.repeat(43),
    AWS_ENDPOINT_URL_S3: 'http://s3.example.net',
    AWS_REGION: 'no region',
  }
  const names = [
    'AWS_ENDPOINT_URL_S3',
    'AWS_REGION',
    'BASE_URL',
    'CACHE_MEMORY',
    'DATA_DIR',
    'DISK_BYTES',
    'FRONT_KEY',
    'INTERNAL_LISTEN',
    'LISTEN',
    'MAIL_TOKEN',
    'RPC_BITCOIN',
  ]
  expect(problemsOf(wrong, ['RCP_BITCOIN']).sort()).toEqual([...names, 'RCP_BITCOIN', 'TRUSTED_PROXIES'].sort())
})

it('gives contents at most a quarter of the memory of the machine, or of the control group', () => {
  const GIB = 2 ** 30
  expect([cacheMemory(GIB / 8, 8 * GIB, 0), cacheMemory(GIB, 2 * GIB, 0), cacheMemory(4 * GIB, 8 * GIB, GIB)]).toEqual([
    GIB / 8,
    GIB / 2,
    GIB / 4,
  ])
})

it.each(['127.0.0.1:8332', '192.168.1.7:8332', '[fd00::1]:8332', 'bitcoind:8332', 'node.lan:8332'])(
  'takes a node by plain http at %s',
  (host) => {
    expect(problemsOf({ RPC_BITCOIN: `http://user:password@${host}` })).toEqual([])
  },
)

it.each(['8.8.8.8:8332', 'node.example.net:8332', '[2001:db8::1]:8332', '172.32.0.1:8332'])(
  'takes none by plain http at %s',
  (host) => {
    expect(problemsOf({ RPC_BITCOIN: `http://user:password@${host}` })).toEqual(['RPC_BITCOIN'])
  },
)

it('lets only what the operator named be on a private address', () => {
  const plan = checkServer({ ...RIGHT, RPC_BITCOIN: 'http://user:password@127.0.0.1:8332/wallet' }, [])
  expect('ownServices' in plan && plan.ownServices).toEqual(['http://127.0.0.1:8332', 'https://mail.example.net'])
})

it('knows the main network of a chain by its first block, and the settings of the example by their names', () => {
  const plan = checkServer({ ...RIGHT, RPC_BITCOIN: 'http://user:password@127.0.0.1:8332' }, [])
  expect('variables' in plan && plan.variables.GENESIS_BITCOIN).toMatch(/^0{10}[\da-f]{54}$/)
  expect(problemsOf({}, Object.keys(parseSettings(serverExample())))).toEqual([])
})

it('takes a value as it is, whatever is in it', () => {
  const text = '# a comment\n; another\n\nA=abc#def\nB="in quotes"\n C=  \'x\'  \nD={"keys":[]}\nE=\n'
  expect(parseSettings(text)).toEqual({ A: 'abc#def', B: 'in quotes', C: "  'x'", D: '{"keys":[]}', E: '' })
  expect(() => parseSettings('A=1\nB 2\n')).toThrow('Line 2')
})

it('refuses one socket for clients and for the machine, and says where the latter is open to others', () => {
  expect(problemsOf({ LISTEN: '127.0.0.1:1', INTERNAL_LISTEN: '127.0.0.1:1' })).toEqual(['INTERNAL_LISTEN'])
  const warningsOf = (listen: string) => {
    const plan = checkServer({ ...RIGHT, INTERNAL_LISTEN: listen }, [])
    return 'warnings' in plan ? plan.warnings.filter((warning) => warning.startsWith('INTERNAL_LISTEN')).length : 0
  }
  expect(['127.0.0.1:2', '[::1]:2', 'unix:/run/a', '0.0.0.0:2'].map(warningsOf)).toEqual([0, 0, 0, 1])
})
