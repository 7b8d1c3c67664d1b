import type { ComponentChildren } from 'preact'
import { totalBytes } from '../../core/chosen-files.ts'
import { type Order, STEPS, type Step, writeProgress } from '../../core/order.ts'
import { sizeText } from '../../core/size-text.ts'
import { Block, HookMark } from '../../parts/motif.tsx'
import { texts } from '../../texts/index.ts'

/** The line of steps: solid behind, blue now, dashed ahead; it ends in the hook. */
export function Steps({ order, step, body }: { order: Order; step: Step; body: ComponentChildren }) {
  const now = STEPS.indexOf(step)
  const chain = order.blockchain !== 'IPFS'
  const sizes = sizeText(totalBytes(order.files.filter(({ state }) => state !== 'removed')))
  const beside: Record<Step, [behind: string, ahead: string]> = {
    upload: [sizes, ''],
    prepare: [
      texts.order.prepared(texts.common.items(order.items.length), writeProgress(order.items).transactions),
      chain ? texts.order.prepareAhead : texts.order.prepareAheadIpfs,
    ],
    pay: [texts.pay.paid, texts.order.payAhead],
    write: ['', texts.order.writeAhead],
    done: ['', chain ? texts.order.doneAhead(1) : texts.order.doneAhead(0)],
  }
  return (
    <ol class="steps">
      {STEPS.map((name, index) => {
        const place = index < now ? '' : index === now ? 'now' : 'ahead'
        const [behind, ahead] = beside[name]
        return (
          <li key={name} class={`step ${place}`} aria-current={index === now ? 'step' : undefined}>
            <span class="mark">
              {name === 'done' ? (
                <HookMark />
              ) : (
                <Block fill={index < now ? 'full' : index === now ? 'half' : 'hollow'} />
              )}
            </span>
            <h2>
              {texts.order.steps[name]}
              <span>{index < now ? behind : index > now ? ahead : ''}</span>
            </h2>
            {index === now && <div class="body">{body}</div>}
          </li>
        )
      })}
    </ol>
  )
}
