//===- StorageLayout.h - Components and addresses of a sparse operand -----===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one object from which packer, type conversion, ABI, manifest and Python
// derive what a sparse operand consists of, and where each value lies.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_FORMAT_STORAGELAYOUT_H
#define MAGICUBE_FORMAT_STORAGELAYOUT_H

#include "magicube/Format/ElementType.h"
#include "magicube/Format/Encoding.h"

#include <string>
#include <vector>

namespace mlir::magicube {

/// A dimension known only at run time. Equals mlir::ShapedType::kDynamic, so
/// shapes pass between this library and IR unchanged.
inline constexpr int64_t kDynamic = std::numeric_limits<int64_t>::min();

enum class ComponentKind { Pointers, Indices, Values, Dimension };

/// One part of a sparse operand, in the order in which it is passed.
struct StorageComponent {
  ComponentKind kind;
  /// `pointers`, `indices`, `values`, `dim<i>`.
  std::string name;
  /// Container width in bits. A dimension is an `index`, 64 bits at the ABI.
  int bits;
  /// Extents in containers, kDynamic where unknown; empty for a dimension.
  std::vector<int64_t> shape;
  /// Which logical dimension this is; only for ComponentKind::Dimension.
  int64_t dimension = -1;
};

/// Storage of a sparse operand [batch...] x M x K with the given encoding:
///   pointers  i32 [rows][2] or, with slabs, [rows][slabs][2]: aligned start
///             and end (unpadded in natural order) in vectors; leading batch
///             dimensions fold into rows (batch-major)
///   indices   i32 or u16 [stored], one column per stored vector
///   values    flat containers, stride by stride, V x stride inside a stride;
///             absent for a pattern
///   dim<i>    one index for each dynamic dimension of the logical shape
class StorageLayout {
public:
  /// `shape` has rank >= 2. Fails for an illegal encoding or element type, M
  /// that is no multiple of V, and K beyond the index type.
  static Result<StorageLayout> get(const SRBCRSEncoding &encoding,
                                   std::vector<int64_t> shape,
                                   ElementType type);

  const SRBCRSEncoding &encoding() const { return params; }
  ElementType elementType() const { return type; }
  const std::vector<int64_t> &shape() const { return logicalShape; }
  const std::vector<StorageComponent> &components() const { return parts; }

  /// Vector-rows over all batches, and slabs per row; may be kDynamic.
  int64_t vectorRows() const { return rows; }
  int64_t slabs() const { return slabsPerRow; }

  /// Element offset of component `v` (0 <= v < V) of the vector at stored
  /// position `p`.
  int64_t valueOffset(int64_t p, int64_t v) const {
    return params.valueOrder().offset(p, v);
  }
  /// Byte that holds the element at `offset`, and, for 4-bit elements, the
  /// shift of its nibble (0 for even offsets, 4 for odd ones).
  int64_t valueByte(int64_t offset) const {
    return type.isPacked() ? offset / 2 : offset * (type.containerBits() / 8);
  }
  int nibbleShift(int64_t offset) const {
    return type.isPacked() ? static_cast<int>(offset % 2) * type.bits : 0;
  }
  /// Bytes of the value array for `stored` vectors (padding included).
  int64_t valueBytes(int64_t stored) const {
    return type.bytesFor(stored * params.vector);
  }

private:
  StorageLayout() = default;
  void deriveComponents();

  SRBCRSEncoding params;
  std::vector<int64_t> logicalShape;
  ElementType type;
  int64_t rows = 0;
  int64_t slabsPerRow = 1;
  std::vector<StorageComponent> parts;
};

} // namespace mlir::magicube

#endif // MAGICUBE_FORMAT_STORAGELAYOUT_H
