#include "bind.hpp"

NB_MODULE(_core, m) {
  m.attr("__version__") = PENSTOCK_VERSION;
  penstock::python::bind_errors(m);
  penstock::python::bind_options(m);
  penstock::python::bind_transforms(m);
  penstock::python::bind_dataset(m);
  penstock::python::bind_batch(m);
  penstock::python::bind_loader(m);
}
