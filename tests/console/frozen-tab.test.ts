import { expect, it } from 'vitest'
import { context, openForEachTest, page, server } from './open-for-each-test.ts'
import { ADDRESS, addPayment, paidBy } from './server/add-payment.ts'

openForEachTest()

it('console 24: shows what came meanwhile within 2 s of being looked at again', async () => {
  const took: number[] = []
  // The machine itself may stall for a moment, so one of ten tries must pass.
  for (let turn = 0; turn < 10 && Math.min(...took, 9999) >= 2000; turn++) {
    const payment = addPayment(server.state)
    await page.goto(`${server.origin}/console/pay/${ADDRESS}`)
    await page.locator('.qr').waitFor()
    const devtools = await context.newCDPSession(page)
    await devtools.send('Page.setWebLifecycleState', { state: 'frozen' })
    payment.state = 'seen'
    payment.received = payment.amount
    payment.transactions = [paidBy(0)]
    await devtools.send('Page.setWebLifecycleState', { state: 'active' })
    const shown = page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const began = performance.now()
          const look = () => {
            if (document.body.textContent?.includes('Seen, 0 of 3')) resolve(performance.now() - began)
            else requestAnimationFrame(look)
          }
          document.dispatchEvent(new Event('visibilitychange'))
          look()
        }),
    )
    took.push(await shown)
    await devtools.detach()
  }
  expect(Math.min(...took)).toBeLessThan(2000)
})
