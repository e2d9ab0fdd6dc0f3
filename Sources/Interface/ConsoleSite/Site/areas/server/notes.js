// The Markdown of the changelog as nodes: headings, paragraphs, lists, code, the text of links. All else is text.

import { element } from '../../scripts/element.js';

function inline(text) {
  // Links of the changelog lead to files beside it, which a browser does not have.
  const plain = text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return plain.split('`').map((part, index) => (index % 2 === 1 ? element('code', {}, part) : part));
}

/// The nodes of a text.
export function notes(text) {
  const nodes = [];
  let list = null;
  let lines = [];
  let target = null;
  const end = () => {
    if (target) target.append(...inline(lines.join(' ')));
    target = null;
    lines = [];
  };
  for (const line of text.split('\n')) {
    const heading = /^(#{2,4}) (.*)$/.exec(line);
    if (heading) {
      end();
      list = null;
      nodes.push(element(heading[1].length === 2 ? 'h3' : 'h4', {}, inline(heading[2].replace(/^\[(.*)\]/, '$1'))));
    } else if (line.startsWith('- ')) {
      end();
      if (!list) nodes.push((list = element('ul')));
      target = element('li');
      list.append(target);
      lines = [line.slice(2)];
    } else if (line.trim() === '') {
      end();
      list = null;
    } else {
      if (!target) nodes.push((target = element('p')));
      lines.push(line.trim());
    }
  }
  end();
  return nodes;
}
