// Patterns that distinguish parts when colours are overridden or absent. Defined once on the page; charts refer to them by class.

export function Patterns() {
  return (
    <svg class="unseen" width="0" height="0" aria-hidden="true" focusable="false">
      <defs>
        <pattern
          id="pattern-lines"
          width="5"
          height="5"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"
        >
          <path class="pattern-ink" d="M0 0V5" />
        </pattern>
        <pattern id="pattern-cross" width="5" height="5" patternUnits="userSpaceOnUse">
          <path class="pattern-ink" d="M0 0L5 5M5 0L0 5" />
        </pattern>
        <pattern id="pattern-dots" width="5" height="5" patternUnits="userSpaceOnUse">
          <circle class="pattern-dot" cx="2.5" cy="2.5" r="1" />
        </pattern>
        <pattern id="pattern-rows" width="5" height="5" patternUnits="userSpaceOnUse">
          <path class="pattern-ink" d="M0 2.5H5" />
        </pattern>
      </defs>
    </svg>
  )
}
