// What a page author writes: ask for the content, and say on the page what came of it. It is loaded before the helper,
// whose events come once.
const whenLoaded = (event, ask) => document.addEventListener(event, ask, { once: true })
whenLoaded('dbReady', () => {
  for (const blockchain of ['Nativecoin', 'Bitcoin', 'Dogecoin']) window.hook(blockchain)
})
whenLoaded('nodeReady', () => window.hook('IPFS'))

const caption = (element, selector) => element.closest('figure').querySelector(selector)
const refuse = (proof, why) => {
  proof.classList.add('refused')
  proof.textContent = `not shown: ${why}`
}

document.addEventListener('hook:progress', ({ target, detail }) => {
  const bar = caption(target, 'progress')
  if (bar) bar.value = detail.loaded
})
// Only an element with data-proof sends this, before it is ready.
document.addEventListener('hook:proof', ({ target, detail }) => {
  target.dataset.block = detail.height
})
document.addEventListener('hook:ready', ({ target }) => {
  const name = target.dataset.src.slice(0, 10)
  const { block } = target.dataset
  caption(target, '.proof').textContent = `verified here: ${name}…${block ? `, proven to be in block ${block}` : ''}`
  caption(target, 'progress')?.remove()
})
document.addEventListener('hook:error', ({ target, detail }) => {
  refuse(caption(target, '.proof'), detail.error.message)
  caption(target, 'progress')?.remove()
})
// Where the helper itself does not come, no event of it will: errors of loading don't bubble, and are caught on the way down.
const whenMissing = ({ target }) => {
  if (!(target instanceof HTMLScriptElement)) return
  for (const proof of document.querySelectorAll('.proof')) refuse(proof, `${target.src} could not be loaded.`)
}
document.addEventListener('error', whenMissing, { capture: true })
