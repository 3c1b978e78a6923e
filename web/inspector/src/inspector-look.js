/** Styles of the inspector around its panels: title, tabs, the open model. */
import { css } from 'lit';

export const inspectorLook = css`
  :host {
    display: block;
    background: var(--page);
    container-type: inline-size;
  }
  :host([theme='light']) {
    color-scheme: light;
  }
  :host([theme='dark']) {
    color-scheme: dark;
  }
  :host(:fullscreen) {
    overflow: auto;
  }
  header {
    position: sticky;
    top: 0;
    z-index: 6;
    display: flex;
    align-items: center;
    gap: 0.6rem;
    min-height: 2.9rem;
    padding: 0 0.5rem 0 1rem;
    background: var(--panel);
    border-bottom: 1px solid var(--line);
  }
  /* The graph has all the room that there is. */
  .fills {
    display: flex;
    flex-direction: column;
    height: max(26rem, var(--cpb-height, 100dvh));
  }
  .fills > main,
  .fills section {
    display: flex;
    flex: 1;
    max-width: none;
    min-height: 0;
    min-width: 0;
    padding: 0;
  }
  main {
    max-width: 120rem;
    margin: auto;
    padding: 1rem 1rem 3rem;
  }
  .fills > main {
    margin: 0;
  }
  h1 {
    flex: none;
    font-size: 1.05rem;
    line-height: 1.3;
    margin: 0;
  }
  .name {
    min-width: 4rem;
    max-width: 11rem;
  }
  .name > * {
    font-size: 0.95rem;
    margin: 0;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .name > p {
    font-size: 0.75rem;
    line-height: 1.2;
  }
  svg {
    width: 1.05rem;
    vertical-align: -0.15em;
    fill: none;
    stroke: currentcolor;
    stroke-width: 1.5;
    stroke-linecap: round;
  }
  h1 svg {
    fill: var(--accent);
    margin-right: 0.5rem;
  }
  form {
    display: flex;
    gap: 0.45rem;
    flex: 1;
    min-width: 0;
    flex-wrap: wrap;
    margin: 0.45rem 0;
  }
  form input[type='text'] {
    flex: 1 1 12rem;
  }
  #menu {
    position: fixed;
    inset: auto;
    width: min(30rem, 100vw - 1rem);
    margin: 0;
    padding: 0.7rem 0.9rem;
    color: inherit;
    box-shadow: 0 6px 24px var(--shade);
    font-size: 0.9rem;
  }
  .icon {
    flex: none;
    border-color: transparent;
    background: none;
    padding: 0.3rem 0.5rem;
  }
  .meta {
    flex: none;
    font-size: 0.82rem;
    color: var(--dim);
  }
  select {
    padding: 0.25rem 0.4rem;
    max-width: 10rem;
  }
  .damage {
    margin: 0;
    padding: 0.45rem 1.25rem;
    background: var(--bad-page);
    border-bottom: 1px solid var(--bad);
    overflow-wrap: anywhere;
  }
  .damage strong {
    color: var(--bad);
  }
  nav.tabs {
    flex: 1;
    min-width: 0;
    align-self: stretch;
  }
  select.tabs {
    display: none;
    flex: 1;
    min-width: 0;
    max-width: none;
    font-size: 16px;
  }
  [role='tablist'] {
    display: flex;
    height: 100%;
    scrollbar-width: none;
  }
  [role='tab'] {
    flex: none;
    position: relative;
    border: 0;
    border-bottom: 2px solid transparent;
    border-top: 2px solid transparent;
    border-radius: 0;
    background: none;
    padding: 0 0.55rem;
    font-size: 0.9rem;
    color: var(--dim);
  }
  [role='tab']:hover:not(:disabled) {
    border-color: transparent; /* only the selected one has a line */
    color: var(--text);
  }
  [role='tab'][aria-selected='true'],
  [role='tab'][aria-selected='true']:hover:not(:disabled) {
    border-bottom-color: var(--accent);
    color: var(--text);
    font-weight: 600;
  }
  [role='tab']:focus-visible {
    outline-offset: -3px;
  }
  .unseen {
    position: absolute;
    width: 1px;
    height: 1px;
    margin: 0;
    overflow: hidden;
    clip-path: inset(50%);
  }
  .dropping {
    outline: 3px dashed var(--accent);
    outline-offset: -6px;
  }
  @container (max-width: 75rem) {
    [role='tab'] {
      padding: 0 0.35rem;
      font-size: 0.82rem;
    }
  }
  @container (max-width: 48rem) {
    header {
      padding: 0 0.3rem 0 0.7rem;
      gap: 0.4rem;
      flex-wrap: wrap;
    }
    .name {
      max-width: 40vw;
    }
    select.tabs {
      display: block;
    }
    nav.tabs {
      display: none;
    }
    header > h1 {
      margin-top: 0.5rem;
    }
    form {
      flex: 1 0 100%;
    }
    form input[type='text'] {
      flex-basis: 100%;
    }
    main {
      padding: 0.8rem 0.8rem 2rem;
    }
  }
`;
