import { describe, expect, it } from 'vitest'
import { watchItems } from '../../client/store/watch.ts'
import type { Item, Json, ServiceEvent } from '../../client/types.ts'

const item = (id: string, status: Item['status'], written = 0): Item => ({
  ...{ id, name: id, mimetype: 'text/plain', blockchain: 'Bitcoin', status, message: undefined },
  ...{
    size: 1,
    storedSize: 1,
    txids: undefined,
    index: undefined,
    cid: undefined,
    transactions: 9,
    written,
    confirmed: 0,
  },
  ...{
    createdAt: 0,
    folder: undefined,
    path: undefined,
    files: undefined,
    merging: undefined,
    received: undefined,
    directory: undefined,
    hidden: undefined,
    sites: undefined,
    embed: undefined,
  },
  links: { content: '', web: undefined, site: '' },
})

/** Items that the test changes, with the number of requests for each. */
function service(ids: readonly string[]) {
  const now = new Map(ids.map((id) => [id, item(id, '202 Accepted')]))
  const asked: string[] = []
  return {
    now,
    asked,
    items: {
      async get(id: string): Promise<Item> {
        asked.push(id)
        return now.get(id) ?? item(id, '200 OK')
      },
    },
  }
}

/** A stream of events that the test feeds; `end` breaks it off. */
function stream() {
  const waiting: ServiceEvent[] = []
  let wake = () => {}
  let broken = false
  let closed = false
  return {
    say(type: string, data: Json) {
      waiting.push({ id: '1', type, data: { type, data } })
      wake()
    },
    end() {
      broken = true
      wake()
    },
    closed: () => closed,
    async *open({ signal, onOpen }: { signal?: AbortSignal | undefined; onOpen?: () => void }) {
      signal?.addEventListener('abort', () => {
        closed = true
        wake()
      })
      onOpen?.()
      for (;;) {
        for (const event of waiting.splice(0)) yield event
        if (closed) return
        if (broken) throw new Error('the stream broke')
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}

/** Watches, and runs the next step of `script` at each wait; returns the states seen, and the number of waits. */
async function watch(
  { items }: Pick<ReturnType<typeof service>, 'items'>,
  ids: readonly string[],
  script: (wait: number) => void,
  events?: ReturnType<typeof stream>['open'],
) {
  const seen: string[] = []
  let waits = 0
  const sleep = async () => {
    script(++waits)
    // Events of the step arrive before the wait is over.
    await new Promise((resolve) => setImmediate(resolve))
  }
  for await (const { id, status, written } of watchItems(items, ids, { sleep, events })) {
    seen.push(`${id} ${status} ${written}`)
  }
  return { seen, waits }
}

describe('watching items', () => {
  it('asks only for what the stream of events names', async () => {
    const { items, now, asked } = service(['a', 'b'])
    const events = stream()
    const { seen } = await watch(
      { items },
      ['a', 'b'],
      (wait) => {
        if (wait === 4) {
          now.set('a', item('a', '202 Accepted', 3))
          events.say('item.progress', { id: 'a', written: 3 })
        }
        if (wait === 6) for (const id of ['a', 'b']) now.set(id, item(id, '200 OK', 9))
        if (wait === 6) events.say('item.stored', { id: 'a' })
        if (wait === 8) events.say('item.stored', { id: 'b' })
      },
      events.open,
    )
    expect(seen).toEqual(['a 202 Accepted 0', 'b 202 Accepted 0', 'a 202 Accepted 3', 'a 200 OK 9', 'b 200 OK 9'])
    // At the beginning, when the stream opened, and after its event.
    expect(asked).toEqual(['a', 'b', 'a', 'b', 'a', 'a', 'b'])
    expect(events.closed()).toBe(true)
  })

  it('asks for all where events were missed, and each minute whatever is heard', async () => {
    const { items, now, asked } = service(['a'])
    const events = stream()
    await watch(
      { items },
      ['a'],
      (wait) => {
        if (wait === 3) events.say('reset', {})
        if (wait === 33) now.set('a', item('a', '200 OK'))
      },
      events.open,
    )
    expect(asked).toHaveLength(4)
  })

  it('asks for all each time where there is no stream, or it breaks', async () => {
    for (const broken of [undefined, stream()]) {
      const { items, now, asked } = service(['a'])
      broken?.end()
      const { waits } = await watch(
        { items },
        ['a'],
        (wait) => {
          if (wait === 5) now.set('a', item('a', '409 Conflict'))
        },
        broken?.open,
      )
      expect([waits, asked.length]).toEqual([5, 6])
    }
  })

  it('closes the stream when nobody watches any more', async () => {
    const { items } = service(['a'])
    const events = stream()
    for await (const _ of watchItems(items, ['a'], { sleep: async () => {}, events: events.open })) break
    expect(events.closed()).toBe(true)
  })
})
