import { type ComponentChildren, Fragment } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { visibleControls } from '../core/visible-controls.ts'
import { texts } from '../texts/index.ts'
import { Icon } from './icon.tsx'

let firstPage = true

/** Makes the headings of views take the focus; not at the start, when the browser's default applies. */
export function focusHeadings(): void {
  firstPage = false
}

/** The title of a view and of the tab; it has the focus when the view opens. */
export function Heading({ title }: { title: string }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = visibleControls(`${title} · ${texts.product}`)
  }, [title])
  useEffect(() => {
    if (!firstPage) heading.current?.focus({ preventScroll: true })
    firstPage = false
    scrollTo(0, 0)
  }, [])
  return (
    <h1 ref={heading} tabindex={-1}>
      {title}
    </h1>
  )
}

/** A parent of a view. */
interface Crumb {
  href: string
  label: string
}

/** A view: its title (also of the tab), a sentence, and actions. */
export function Page(props: {
  title: string
  lead?: ComponentChildren
  acts?: ComponentChildren
  /** Its parents, the outermost first. */
  crumb?: Crumb | readonly Crumb[]
  narrow?: boolean
  children?: ComponentChildren
}) {
  return (
    <div class={props.narrow ? 'page narrow' : 'page'}>
      {props.crumb && (
        <nav class="crumb" aria-label={texts.common.back}>
          {[props.crumb].flat().map(({ href, label }) => (
            <Fragment key={href}>
              <a href={href}>{label}</a>
              <Icon name="chevron" size="small" />
            </Fragment>
          ))}
          <span>{props.title}</span>
        </nav>
      )}
      <div class="head">
        <div>
          <Heading title={props.title} />
          {props.lead && <p>{props.lead}</p>}
        </div>
        {props.acts && <div class="row">{props.acts}</div>}
      </div>
      {props.children}
    </div>
  )
}

/** A part of a page, under a title and a hairline. */
export function Section(props: {
  title: ComponentChildren
  aside?: ComponentChildren
  children: ComponentChildren
  id?: string
}) {
  return (
    <section class="section" id={props.id}>
      <div class="section-head">
        <h2>{props.title}</h2>
        {props.aside}
      </div>
      {props.children}
    </section>
  )
}

/** Placeholder bars while data is loading. */
export function WaitingRows({ rows = 6 }: { rows?: number | undefined }) {
  return (
    <div aria-busy="true">
      <p class="vh" role="status">
        {texts.common.loading}
      </p>
      <div class="waiting" aria-hidden="true">
        {Array.from({ length: rows }, (_, index) => (
          <p key={index}>
            <span class={`wait w${index % 4}`} />
            <span class="wait short" />
          </p>
        ))}
      </div>
    </div>
  )
}
