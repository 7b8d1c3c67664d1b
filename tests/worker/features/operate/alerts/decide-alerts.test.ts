import fc from 'fast-check'
import { expect, it } from 'vitest'
import { alertLines, webhookBody } from '../../../../../worker/features/operate/alerts/alert-text.ts'
import { decideMark } from '../../../../../worker/features/operate/alerts/database-alert.ts'
import { type Alert, decideAlerts } from '../../../../../worker/features/operate/alerts/decide-alerts.ts'

const MINUTE = 60_000
const sign = { name: 'stopped', subject: 'Bitcoin', detail: 'payouts: a test' } as const

/** The kinds that are told while the sign is found in these minutes and not in others. */
function toldOf(minutes: readonly boolean[]): { told: string[]; left: Alert | undefined } {
  let alert: Alert | undefined
  const told: string[] = []
  minutes.forEach((isFound, minute) => {
    const now = minute * MINUTE
    for (const { kind, detail } of decideAlerts(alert ? [alert] : [], isFound ? [sign] : [], now)) {
      if (kind === 'raise' || kind === 'over') told.push(kind)
      if (kind === 'forget' || kind === 'over') alert = undefined
      else if (kind === 'begin') alert = { ...sign, firstAt: now, lastAt: now, raisedAt: undefined }
      else if (alert) alert = { ...alert, detail, lastAt: now, raisedAt: kind === 'raise' ? now : alert.raisedAt }
    }
  })
  return { told, left: alert }
}

it('whatever comes and goes, it is told by turns that a sign is raised and that it is over', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 60 }), (minutes) => {
      const { told, left } = toldOf(minutes)
      expect(told).toEqual(told.map((_, index) => (index % 2 === 0 ? 'raise' : 'over')))
      expect(left?.raisedAt !== undefined).toBe(told.length % 2 === 1)
    }),
  )
})

it('what lasts for less than a minute is not told, and what is absent for less than five is not over', () => {
  expect(toldOf([true, false, true, false])).toMatchObject({ told: [] })
  expect(toldOf([true, true, false, false, false, false, true])).toMatchObject({ told: ['raise'] })
  expect(toldOf([true, true, false, false, false, false, false])).toMatchObject({ told: ['raise', 'over'] })
})

it('a database that comes and goes is told once an hour, and its end once for each', () => {
  let mark = decideMark(undefined, 'claim', 0).mark
  expect(decideMark(mark, 'claim', 59 * MINUTE).tell).toBe(false)
  const ended = decideMark(mark, 'end', MINUTE)
  expect(ended.tell).toBe(true)
  mark = ended.mark
  expect([decideMark(mark, 'end', 2 * MINUTE).tell, decideMark(mark, 'claim', 3 * MINUTE).tell]).toEqual([false, false])
  expect(decideMark(mark, 'claim', 60 * MINUTE).tell).toBe(true)
  expect(decideMark(decideMark(mark, 'release', 0).mark, 'claim', MINUTE).tell).toBe(true)
})

it('a message says what it is, when it is raised and what to do, in fields of the services that show it', () => {
  const message = { state: 'raised', ...sign } as const
  expect(alertLines(message)[0]).toBe('Raised: stopped Bitcoin: payouts: a test.')
  const body = JSON.parse(webhookBody('api.example', [message, { ...message, state: 'over' }]))
  expect(body.text).toBe(body.content)
  expect(body.text).toContain('What to do: ')
  expect(body.alerts).toHaveLength(2)
  expect(JSON.parse(webhookBody('x', Array(50).fill(message))).content.length).toBeLessThanOrEqual(2000)
})
