// What a page author writes: ask for the content, and say on the page what came of it. It is loaded before the helper,
// whose events come once.
const whenLoaded = (event, ask) => document.addEventListener(event, ask, { once: true })
whenLoaded('dbReady', () => {
  for (const blockchain of ['Nativecoin', 'Bitcoin', 'Dogecoin']) window.hook(blockchain)
})
whenLoaded('nodeReady', () => window.hook('IPFS'))

const caption = (element, selector) => element.closest('figure').querySelector(selector)

document.addEventListener('hook:progress', ({ target, detail }) => {
  const bar = caption(target, 'progress')
  if (bar && detail) bar.value = detail.done ?? detail.loaded ?? 0
})
document.addEventListener('hook:ready', ({ target }) => {
  const name = target.dataset.src.slice(0, 10)
  caption(target, '.proof').textContent = `verified here: ${name}…`
  caption(target, 'progress')?.remove()
})
document.addEventListener('hook:error', ({ target, detail }) => {
  caption(target, '.proof').textContent = `not shown: ${detail?.error?.message ?? 'it could not be verified'}`
})
