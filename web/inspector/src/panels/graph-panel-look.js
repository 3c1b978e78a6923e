/** How the panel looks around its drawing. */
import { css } from 'lit';

export const panelLook = css`
  .bar {
    margin-bottom: 0.5rem;
  }
  .bar.second {
    font-size: 0.87rem;
    gap: 0.3rem 1.1rem;
  }
  .places {
    flex: 0 1 20rem;
    min-width: 0;
    border: 1px solid var(--line);
    border-radius: 7px;
    background: var(--panel);
    padding: 0.32rem 0.5rem;
  }
  .switch {
    display: inline-flex;
    gap: 0.35rem;
    align-items: center;
    cursor: pointer;
  }
  .switch input {
    margin: 0;
    accent-color: var(--accent);
  }
  .tools {
    margin-left: auto;
    display: flex;
    gap: 0.3rem;
  }
  .tools button {
    padding: 0.25rem 0.6rem;
  }
  .parts {
    display: grid;
    gap: 0.8rem;
    grid-template-columns: minmax(0, 1fr);
  }
  .view {
    height: max(22rem, calc(100vh - 18rem));
    min-height: 0;
    overflow: clip;
  }
  .view {
    position: relative;
  }
  /* A drawing that is about to be replaced. */
  .window {
    transition: opacity 0.1s 0.25s;
  }
  [aria-busy='true'] > .window {
    opacity: 0.35;
  }
  [aria-busy='true']::after {
    content: 'Reading…';
    position: absolute;
    inset: 0 auto auto 50%;
    translate: -50% 1rem;
    padding: 0.2rem 0.8rem;
    border-radius: 7px;
    background: var(--chip);
    animation: later 0.25s step-end;
  }
  @keyframes later {
    from {
      opacity: 0;
    }
  }
  .legend {
    position: absolute;
    inset: auto auto 0 0;
    display: flex;
    flex-wrap: wrap;
    gap: 0 0.9rem;
    margin: 0;
    padding: 0.2rem 0.6rem;
    border-radius: 0 8px 0 10px;
    background: color-mix(in srgb, var(--panel) 85%, transparent);
    list-style: none;
    font-size: 0.78rem;
    color: var(--dim);
    pointer-events: none;
  }
  .legend svg {
    width: 0.65rem;
  }
  .switch select {
    border: 1px solid var(--line);
    border-radius: 7px;
    background: var(--panel);
  }
  .window {
    display: block;
    width: 100%;
    height: 100%;
    touch-action: none;
    cursor: grab;
    user-select: none;
    -webkit-user-select: none;
  }
  .window:active {
    cursor: grabbing;
  }
  .side {
    padding: 0.8rem 1rem;
    position: relative;
    overflow-y: auto;
    max-height: max(22rem, calc(100vh - 18rem));
  }
  .close {
    position: absolute;
    top: 0.5rem;
    right: 0.5rem;
    padding: 0 0.5rem;
    border: 0;
    font-size: 1.2rem;
    line-height: 1.4;
  }
  @container (max-width: 56rem) {
    .parts.two .view {
      height: max(18rem, 52vh);
    }
    .side {
      max-height: none;
    }
  }
  @container (min-width: 56rem) {
    .parts.two {
      grid-template-columns: minmax(0, 1fr) 22rem;
    }
  }
  @container (max-width: 40rem) {
    .legend.usual {
      display: none;
    }
    .places {
      flex-basis: 100%;
      font-size: 16px;
    }
    .tools {
      margin-left: 0;
    }
  }
`;
