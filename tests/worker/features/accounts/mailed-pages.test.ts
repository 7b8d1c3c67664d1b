import { expect, it } from 'vitest'
import { messagePage, resetPage, verifyPage } from '../../../../worker/features/accounts/page.ts'
import { fetchApi } from '../../fetch-api.ts'

it('every page of a mailed link carries the name of the service, and leads to the console', async () => {
  const pages = [messagePage('Thank you', 'Done.'), verifyPage('ada@x.example', 'x'), resetPage('ada@x.example', 'x')]
  for (const page of await Promise.all(pages)) {
    expect(page).toMatch(/<a class="mark" href="\/console"><svg[^>]*>.*<\/svg>Hookline<\/a>/s)
  }
  expect(await pages[0]).toContain('<a class="next" href="/console">Go to the console</a>')
})

it('so does what says that a link is of no use any more', async () => {
  const answer = await fetchApi('GET', '/v0/user/verify?token=x')
  expect(answer.status).toBe(400)
  expect(await answer.text()).toContain('<a class="next" href="/console">')
})
