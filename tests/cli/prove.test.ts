import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { buildCommand } from '../../scripts/build-command.ts'
import { EVERY_COMMAND, PINNED, startEverything } from './every-command.ts'

const PROVE = EVERY_COMMAND.prove ?? []
const VERIFY = ['verify', 'letter.hookline', '--checkpoint', 'pinned.json']
const UNREACHABLE = { HOOKLINE_API: 'http://127.0.0.1:1' }

it('prove saves a proof, which verify checks without a network', async () => {
  const { user } = await startEverything()
  const proved = await user.run([...PROVE, '--json'])
  expect(proved).toMatchObject({ code: 0 })
  expect(JSON.parse(proved.stdout)).toMatchObject({ result: { blockchain: 'Bitcoin', state: 'worked', depth: 1 } })
  const verified = await user.run([...VERIFY, '--state', 'worked 1'], { env: UNREACHABLE })
  expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining('worked 1: 1 linked headers of Bitcoin') })
})

it('prove writes nothing where less is proven than is asked for, or over another file', async () => {
  const { user } = await startEverything()
  const weak = PROVE.map((word) => (word === 'worked 1' ? 'worked 2' : word))
  expect(await user.run(weak)).toMatchObject({ code: 6, stderr: expect.stringContaining('Not worked 2') })
  user.write('letter.hookline', 'other')
  expect(await user.run(PROVE.filter((word) => word !== '--force'))).toMatchObject({ code: 5 })
  expect(readFileSync(user.path('letter.hookline'), 'utf8')).toBe('other')
})

it('a release with checkpoints proves and verifies without --checkpoint, which overrides them', async () => {
  const { user } = await startEverything()
  const program = user.path('released.mjs')
  await buildCommand(program, PINNED)
  const without = (args: readonly string[]) => args.filter((word) => word !== '--checkpoint' && word !== 'pinned.json')
  expect(await user.run(without(PROVE), { program })).toMatchObject({ code: 0 })
  const verify = [...without(VERIFY), '--state', 'worked 1']
  expect(await user.run(verify, { program, env: UNREACHABLE })).toMatchObject({ code: 0 })
  expect(await user.run([...without(PROVE), '--chain', 'dogecoin'], { program })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no checkpoint of dogecoin'),
  })
  user.write('pinned.json', JSON.stringify({ Bitcoin: { ...PINNED.Bitcoin, bits: 0x1d00ffff } }))
  const overridden = await user.run([...VERIFY, '--state', 'worked 1'], { program, env: UNREACHABLE })
  expect(overridden).toMatchObject({ code: 6, stderr: expect.stringContaining("quarter of the checkpoint's") })
})

it('without a checkpoint verify says how to name one', async () => {
  const { user } = await startEverything()
  await user.run(PROVE)
  const ran = await user.run(['verify', 'letter.hookline'])
  expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('no checkpoint to check a proof with') })
  expect(ran.stderr).toContain('--checkpoint')
})

it('verify says of a proof that is altered, or too weak, that it is not verified', async () => {
  const { user } = await startEverything()
  await user.run(PROVE)
  expect(await user.run(VERIFY, { env: UNREACHABLE })).toMatchObject({ code: 6 })
  const saved = readFileSync(user.path('letter.hookline'), 'utf8')
  user.write('letter.hookline', saved.replace('"position":0', '"position":1'))
  expect(await user.run([...VERIFY, '--state', 'worked 1'], { env: UNREACHABLE })).toMatchObject({ code: 6 })
  user.write('letter.hookline', 'no JSON')
  expect(await user.run(VERIFY, { env: UNREACHABLE })).toMatchObject({ code: 6 })
})

it.each([
  [['prove', 'ab'.repeat(32), '-o', 'a.hookline'], '--checkpoint'],
  [['prove', 'ab'.repeat(32), '--checkpoint', 'pinned.json'], '-o'],
  [['prove', 'ab'.repeat(32), '--checkpoint', 'a.txt', '-o', 'a.hookline'], 'no checkpoints'],
  [['prove', 'ab'.repeat(32), '--checkpoint', 'empty.json', '-o', 'a.hookline'], 'empty.json has no checkpoints.'],
  [['prove', 'ab'.repeat(32), '--checkpoint', 'pinned.json', '--chain', 'dogecoin', '-o', 'x'], 'no checkpoint of'],
  [['prove', 'ab'.repeat(32), '--checkpoint', 'pinned.json', '--state', 'sure', '-o', 'x'], 'worked 1 to 12'],
  [['verify', 'a.txt'], 'Give the txids or the CID'],
])('%j is an invalid command line', async (args, part) => {
  const { user } = await startEverything()
  user.write('empty.json', '{}')
  expect(await user.run(args)).toMatchObject({ code: 2, stderr: expect.stringContaining(part) })
})
