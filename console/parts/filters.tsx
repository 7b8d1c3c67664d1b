/** Links that filter a list by one value of `status`. */
export function Filters<Value extends string | number>(props: {
  label: string
  values: readonly Value[]
  value: Value
  /** The path of the view. */
  path: string
  textOf(value: Value): string
}) {
  return (
    <nav class="filters" aria-label={props.label}>
      {props.values.map((each) => (
        <a key={each} href={`${props.path}?status=${each}`} aria-current={each === props.value ? 'true' : undefined}>
          {props.textOf(each)}
        </a>
      ))}
    </nav>
  )
}
