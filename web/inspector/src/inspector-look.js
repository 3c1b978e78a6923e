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
  .top {
    background: var(--panel);
    border-bottom: 1px solid var(--line);
  }
  header,
  main,
  nav.tabs {
    max-width: 120rem;
    margin: auto;
    padding: 0 1.25rem;
  }
  header {
    padding-top: 0.9rem;
    padding-bottom: 0.7rem;
  }
  .title {
    display: flex;
    gap: 0.6rem 1.5rem;
    flex-wrap: wrap;
    align-items: center;
  }
  h1 {
    font-size: 1.1rem;
    margin: 0;
    display: flex;
    align-items: center;
    gap: 0.5rem;
    white-space: nowrap;
  }
  h1 svg {
    width: 1.15rem;
    fill: var(--accent);
  }
  form {
    display: flex;
    gap: 0.45rem;
    flex: 1 1 26rem;
    min-width: 0;
    flex-wrap: wrap;
  }
  form input[type='url'],
  form input[type='text'] {
    flex: 1 1 12rem;
  }
  .status {
    display: flex;
    gap: 0.2rem 0.9rem;
    flex-wrap: wrap;
    align-items: baseline;
    color: var(--dim);
    font-size: 0.87rem;
    margin: 0.7rem 0 0;
  }
  .status .name {
    color: var(--text);
  }
  ul.models {
    list-style: none;
    padding: 0;
  }
  .status select {
    max-width: 16rem;
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
  [role='tablist'] {
    display: flex;
    gap: 0;
    overflow-x: auto;
    scrollbar-width: none;
    margin: 0 -0.8rem;
  }
  [role='tab'] {
    border: 0;
    background: none;
    border-bottom: 3px solid transparent;
    border-radius: 0;
    padding: 0.45rem 0.8rem;
    white-space: nowrap;
    color: var(--dim);
  }
  [role='tab']:hover:not(:disabled) {
    border-color: transparent; /* only the selected one has a line */
    color: var(--text);
  }
  [role='tab'][aria-selected='true'],
  [role='tab'][aria-selected='true']:hover:not(:disabled) {
    border-color: var(--accent);
    color: var(--text);
    font-weight: 600;
  }
  [role='tab']:focus-visible {
    outline-offset: -3px;
  }
  main {
    padding-top: 1.25rem;
    padding-bottom: 3rem;
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
  @container (max-width: 40rem) {
    header,
    main,
    nav.tabs {
      padding-left: 0.9rem;
      padding-right: 0.9rem;
    }
    .title {
      gap: 0.55rem 0.45rem;
    }
    h1 {
      flex: 1;
      font-size: 1rem;
    }
    form {
      display: contents;
    }
    form :is(input[type='text'], button) {
      order: 1;
    }
    label.file {
      padding: 0.15rem 0.6rem;
      font-size: 0.87rem;
    }
    .status {
      font-size: 0.8rem;
      gap: 0.15rem 0.45rem;
      margin-top: 0.55rem;
    }
    .status .name {
      flex: 1 0 100%;
      overflow: hidden;
      text-overflow: ellipsis;
      white-space: nowrap;
    }
    .status .chip {
      margin: 0;
      padding: 0 0.35rem;
      font-size: 0.75rem;
    }
    main {
      padding-top: 1rem;
    }
  }
`;
