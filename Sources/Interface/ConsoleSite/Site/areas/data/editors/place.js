// The editor of GeoPoints: two numbers, and a plain map grid on which a click sets them.
import { element } from '../../../scripts/element.js';
import { Invalid } from '../../../scripts/panel.js';
import { numberOf } from './number.js';

const namespace = 'http://www.w3.org/2000/svg';

export function placeEditor({ value, words }) {
  const latitude = coordinate(words('data.latitude'), value?.latitude);
  const longitude = coordinate(words('data.longitude'), value?.longitude);
  const map = mapGrid(words('data.map'), (point) => {
    latitude.field.value = point.latitude.toFixed(2);
    longitude.field.value = point.longitude.toFixed(2);
    show();
  });
  const read = () => {
    const point = {
      latitude: numberOf(latitude.field.value, words),
      longitude: numberOf(longitude.field.value, words),
    };
    const isOutside = Math.abs(point.latitude) > 90 || Math.abs(point.longitude) > 180;
    if (isOutside) throw new Invalid(words('data.invalid.place'));
    return { __type: 'GeoPoint', ...point };
  };
  const show = () => {
    try {
      map.show(read());
    } catch {
      map.show(null);
    }
  };
  for (const { field } of [latitude, longitude]) field.addEventListener('input', show);
  show();
  return {
    node: element(
      'div',
      { class: 'stack' },
      element('div', { class: 'line' }, latitude.label, longitude.label),
      map.node,
    ),
    read,
    focus: () => latitude.field.select(),
  };
}

function coordinate(name, value) {
  const field = element('input', { class: 'field', type: 'text', inputmode: 'decimal', 'data-enter': '' });
  field.value = value === undefined ? '' : String(value);
  return { field, label: element('label', { class: 'labelled' }, name, field) };
}

/// The grid of all degrees, with lines each 30 degrees; it is for pointers only, as the two fields do the same.
function mapGrid(name, onPoint) {
  const node = shape('svg', { viewBox: '-180 -90 360 180', class: 'map', role: 'img', 'aria-label': name });
  for (let degree = -150; degree < 180; degree += 30) node.append(line(degree, -90, degree, 90, degree === 0));
  for (let degree = -60; degree < 90; degree += 30) node.append(line(-180, degree, 180, degree, degree === 0));
  const mark = shape('circle', { r: 4, class: 'map-mark' });
  node.append(mark);
  node.addEventListener('click', (event) => {
    const box = node.getBoundingClientRect();
    onPoint({
      latitude: 90 - ((event.clientY - box.top) / box.height) * 180,
      longitude: ((event.clientX - box.left) / box.width) * 360 - 180,
    });
  });
  return {
    node,
    show: (point) => {
      mark.classList.toggle('is-hidden', point === null);
      if (point === null) return;
      mark.setAttribute('cx', point.longitude);
      mark.setAttribute('cy', -point.latitude);
    },
  };
}

function line(x1, y1, x2, y2, isMain) {
  return shape('line', { x1, y1, x2, y2, class: isMain ? 'map-line is-main' : 'map-line' });
}

function shape(name, attributes) {
  const node = document.createElementNS(namespace, name);
  for (const [attribute, value] of Object.entries(attributes)) node.setAttribute(attribute, value);
  return node;
}
